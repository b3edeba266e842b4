package cmd

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lane/e2e/feature"
	"lane/runner"
)

// A receipt is good for exactly what was signed, and for the keys that the
// reader lists.
func TestReceiptIsVerified(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		feature.Missing(t, "ssh-keygen", err.Error())
	}
	dir := t.TempDir()
	key := func(name string) string {
		file := filepath.Join(dir, name)
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return file
	}
	mine, theirs := key("mine"), key("theirs")
	signers := filepath.Join(dir, "signers")
	pub, err := os.ReadFile(mine + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(signers, append([]byte("dev@example.invalid "), pub...), 0o600); err != nil {
		t.Fatal(err)
	}
	payload, err := runner.RefusedResult("v1", "claude", &runner.Refusal{Reason: "r"}).MarshalIndent()
	if err != nil {
		t.Fatal(err)
	}
	good, err := runner.SignReceipt(t.Context(), mine, payload)
	if err != nil {
		t.Fatal(err)
	}
	if err := valid(t, "lane.receipt.1.json", good); err != nil {
		t.Error(err)
	}
	who, got, err := runner.VerifyReceipt(t.Context(), good, signers)
	if err != nil || who != "dev@example.invalid" || string(got) != string(payload) {
		t.Errorf("a good receipt: %q, %v", who, err)
	}
	foreign, err := runner.SignReceipt(t.Context(), theirs, payload)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"a changed payload": []byte(strings.Replace(string(good), "refused", "done", 1)),
		"a foreign key":     foreign,
		"no signature":      []byte(`{"schema":"lane.receipt/1","payload":"{}","signature":""}`),
		"no receipt":        payload,
		"another namespace": otherNamespace(t, mine, payload),
	} {
		_, _, err := runner.VerifyReceipt(t.Context(), bad, signers)
		var r *runner.Refusal
		if !errors.As(err, &r) || r.ExitCode() != runner.ExitFailed {
			t.Errorf("%s: %v", name, err)
		}
	}

	// By the command line.
	file := filepath.Join(dir, "receipt.json")
	if err := os.WriteFile(file, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := Main([]string{"receipt", "verify", file, "--signers", signers}); code != 0 {
		t.Errorf("lane receipt verify: exit %d", code)
	}
	if code := Main([]string{"receipt", "verify", file}); code != runner.ExitUsage {
		t.Errorf("without --signers: exit %d", code)
	}
	if err := os.WriteFile(file, foreign, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := Main([]string{"receipt", "verify", file, "--signers", signers}); code != runner.ExitFailed {
		t.Errorf("a foreign key: exit %d", code)
	}
}

func otherNamespace(t *testing.T, key string, payload []byte) []byte {
	t.Helper()
	c := exec.Command("ssh-keygen", "-Y", "sign", "-q", "-f", key, "-n", "git")
	c.Stdin = strings.NewReader(string(payload))
	sig, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(runner.SignedReceipt{Schema: runner.ReceiptSchema, Payload: string(payload), Signature: string(sig)})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
