package hookguard

import (
	"strings"
	"testing"
)

func promptVerdict(text string) Verdict {
	return JudgeOn(LinkMap{}, Event{Kind: "UserPromptSubmit", Prompt: text, Cwd: "/wt/proj"}, exampleFacts)
}

// TestSecretKinds runs what each kind must catch and must pass, alone and
// within a longer prompt, and looks for the secret in the answer.
func TestSecretKinds(t *testing.T) {
	for _, k := range secretKinds {
		if len(k.Catch) == 0 || len(k.Pass) == 0 {
			t.Errorf("%s has no examples", k.name)
		}
		for _, text := range k.Catch {
			for _, prompt := range []string{text, "Please look at this:\n" + text + "\nand fix it."} {
				v := promptVerdict(prompt)
				if v.Decision != Deny || v.Rule != secretPrompt.ID {
					t.Errorf("%s must catch %q", k.name, prompt)
				}
				if strings.Contains(v.Reason, text) || strings.Contains(v.Reason, lastWord(text)) {
					t.Errorf("%s: the answer repeats the secret: %q", k.name, v.Reason)
				}
			}
		}
		for _, text := range k.Pass {
			if v := promptVerdict(text); v.Decision != None {
				t.Errorf("%s must pass %q: %s", k.name, text, v.Reason)
			}
		}
	}
}

func lastWord(s string) string {
	f := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\n' || r == '=' || r == ':' || r == '"' })
	return f[len(f)-1]
}

// TestHarmlessPrompts: words about secrets are no secrets.
func TestHarmlessPrompts(t *testing.T) {
	for _, prompt := range []string{
		"", "hi", "Add a password field to the login form.", "Rotate the API key and update .env.example",
		"why does `token: str` fail type checking?", "set PASSWORD in CI from secrets.DB_PASSWORD",
		"use sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"commit 1f2e3d4c5b6a79880f1e2d3c4b5a69788f9e0d1c", "uuid 550e8400-e29b-41d4-a716-446655440000",
		"api_key = settings.API_KEY", "password_hash = bcrypt(password)", "The secret of good tests is small tests",
		"const token = useToken();", "Authorization: Bearer <token>", "passwordPolicy: minLength=12",
		"tokens=4096 max_tokens=1024", "pass: 12 fail: 0", "ISBN 9780306406157", "order 123456782 shipped",
		"secret_key_base: <%= ENV['SECRET'] %>", "pwd && ls", "DB_PASSWORD=${DB_PASSWORD:-dev}",
		"password: must contain 1 digit and 1 symbol", "GITHUB_TOKEN=$(gh auth token)", "key: value",
	} {
		if v := promptVerdict(prompt); v.Decision != None {
			t.Errorf("%q: %s", prompt, v.Reason)
		}
	}
}

// TestReasonHoldsNoSecret: a path in an answer may hold one.
func TestReasonHoldsNoSecret(t *testing.T) {
	e := Example{Text: "curl -o /tmp/ghp_a8Kd0fLq3Zx7Vb2Nm5Tr9Yc1Hd6Jf4Sg0Ue2 https://e.com"}
	v := e.judge()
	if v.Decision != Deny || strings.Contains(v.Reason, "ghp_a8Kd") {
		t.Errorf("%s %q", v.Decision, v.Reason)
	}
}

// TestChecksums of IBAN and BSN, against known numbers.
func TestChecksums(t *testing.T) {
	for iban, want := range map[string]bool{
		"NL91ABNA0417164300": true, "GB82WEST12345698765432": true, "FR1420041010050500013M02606": true, "NO9386011117947": true,
		"NL91ABNA0417164301": false, "ZZ91ABNA0417164300": false, "NL91ABNA041716430": false,
	} {
		if validIBAN(iban) != want {
			t.Errorf("IBAN %s: want %v", iban, want)
		}
	}
	for bsn, want := range map[string]bool{"111222333": true, "123456782": true, "11122233": false, "123456789": false, "000000000": false} {
		if elfproef(bsn) != want {
			t.Errorf("BSN %s: want %v", bsn, want)
		}
	}
}
