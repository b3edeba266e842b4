package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ReceiptSchema names the form of a signed receipt.
const ReceiptSchema = "lane.receipt/1"

// receiptNamespace keeps these signatures apart from those of commits and
// mails with the same key.
const receiptNamespace = "lane-receipt"

// SignedReceipt is a record or a gate's report with a signature over its
// bytes, made by ssh-keygen -Y as git's own are.
type SignedReceipt struct {
	Schema    string `json:"schema"`
	Payload   string `json:"payload"` // the exact bytes that were signed, themselves JSON
	Signature string `json:"signature"`
}

// sshKeygen is the host's own, never the first on the caller's PATH.
func sshKeygen() (string, error) {
	if path := findSystem("ssh-keygen"); path != "" {
		return path, nil
	}
	return "", &Refusal{Reason: "no-ssh-keygen", Detail: "ssh-keygen is not installed", Hint: "apt-get install openssh-client"}
}

// SignReceipt signs payload with an SSH key: a private key's file, or a public
// one's whose private half the SSH agent holds. It says nothing of what is in
// the payload.
func SignReceipt(ctx context.Context, key string, payload []byte) ([]byte, error) {
	program, err := sshKeygen()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, program, "-Y", "sign", "-q", "-f", key, "-n", receiptNamespace)
	c.Stdin = bytes.NewReader(payload)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	sig, err := c.Output()
	if err != nil {
		return nil, &Refusal{Reason: "sign", Path: key, Detail: strings.TrimSpace(stderr.String()), Hint: "--sign takes the file of an SSH key, e.g. ~/.ssh/id_ed25519"}
	}
	b, err := json.MarshalIndent(SignedReceipt{ReceiptSchema, string(payload), string(sig)}, "", "  ")
	return append(b, '\n'), err
}

// VerifyReceipt says who signed a receipt, by an allowed-signers file as git
// reads one, and returns its payload. Any other receipt is an error.
func VerifyReceipt(ctx context.Context, receipt []byte, signers string) (principal string, payload []byte, err error) {
	bad := func(detail string) error {
		return &Refusal{Reason: "receipt", Detail: detail, Exit: ExitFailed}
	}
	var r SignedReceipt
	if err := json.Unmarshal(receipt, &r); err != nil || r.Schema != ReceiptSchema || r.Signature == "" {
		return "", nil, bad("not a " + ReceiptSchema + " receipt")
	}
	program, err := sshKeygen()
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "lane-receipt-")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(dir)
	sig := filepath.Join(dir, "sig")
	if err := os.WriteFile(sig, []byte(r.Signature), 0o600); err != nil {
		return "", nil, err
	}
	run := func(args ...string) (string, error) {
		c := exec.CommandContext(ctx, program, append([]string{"-Y"}, args...)...)
		c.Stdin = strings.NewReader(r.Payload)
		out, err := c.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	who, err := run("find-principals", "-s", sig, "-f", signers)
	if err != nil {
		return "", nil, bad(fmt.Sprintf("signed by a key that %s does not list: %s", quote(signers), printable(who)))
	}
	principal, _, _ = strings.Cut(who, "\n")
	if out, err := run("verify", "-s", sig, "-f", signers, "-I", principal, "-n", receiptNamespace); err != nil {
		return "", nil, bad("the signature is not over this payload: " + printable(out))
	}
	return principal, []byte(r.Payload), nil
}
