package hookguard

import (
	"regexp"
	"strings"
	"sync"
)

// secretPrompt refuses a prompt that holds a secret or personal data: once
// sent it is out of the user's hands.
var secretPrompt = &Rule{
	ID:   "lane/secret-in-prompt",
	Says: "it looks like it contains",
	Pass: []Example{{Text: "echo hello"}},
}

// secretKind is one kind of secret. A regular expression is compiled only
// when one of its literals occurs in the text: most prompts hold none.
type secretKind struct {
	name     string // for people; never with the secret
	literals []string
	pattern  string
	// good checks what the pattern cannot; groups are its submatches.
	good func(groups []string) bool
	// find stands in for a pattern that would be slow.
	find  func(text string, yield func(from, to int))
	Catch []string // examples, beside the rule; made up
	Pass  []string
	once  sync.Once
	re    *regexp.Regexp
}

var secretKinds = []*secretKind{
	{
		name: "a private key", literals: []string{"PRIVATE KEY"},
		// Lines may be told apart by "\n" in letters, as in a JSON file. Prose
		// after the head is no key: one begins with a run of base64, after its
		// headers, or ends.
		pattern: `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:(?:\s|\\[nr])*(?:[A-Za-z-]+: [^\n\\]*(?:\s|\\[nr])+)*[A-Za-z0-9+/=]{16,}[A-Za-z0-9+/=:,\-\s\\]*|\s*(?:\n|\\n)\s*[A-Za-z0-9+/=]{3,}\s*(?:\n|\\n)\s*-----END)`,
		Catch: []string{"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAE\n-----END OPENSSH PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq5\n", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG",
			`"private_key": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n"`, "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nMIIEpAIBAAKCAQEA7bq5", "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----"},
		Pass: []string{"skip a file with -----BEGIN PRIVATE KEY----- and everything that follows in it", "between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----", "the file starts with -----BEGIN PRIVATE KEY-----", "grep for 'PRIVATE KEY' in docs"},
	},
	{
		name: "an AWS access key", literals: []string{"AKIA", "ASIA", "ABIA", "ACCA"},
		pattern: `\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b`,
		good:    func(g []string) bool { return !strings.HasSuffix(g[1], "EXAMPLE") && mixed(g[1][4:]) },
		Catch:   []string{"use AKIAQ3EGRLZT7VWXYMN5 please", "aws_access_key_id=ASIAZ7XKQ2PLMNVB34TY"},
		Pass:    []string{"AKIAIOSFODNN7EXAMPLE", "AKIAAAAAAAAAAAAAAAAA", "the AKIA prefix"},
	},
	{
		name: "an AWS secret key", literals: []string{"aws_secret", "AWS_SECRET", "secret_access_key", "SecretAccessKey", "secretAccessKey"},
		pattern: `(?i)(?:aws_?secret_?(?:access_?)?key|secret_?access_?key)(?:_id)?["']?\s*[:=]\s*["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)`,
		good:    func(g []string) bool { return entropy(g[1]) > 3.5 && !strings.HasSuffix(g[1], "EXAMPLEKEY") },
		Catch:   []string{"aws_secret_access_key = q8Zt1LwX9vKc3Bn7Rf5Yp2Hd6Js4Mg0Ue+Ao/iTx", `"SecretAccessKey": "Zp4k9Qw2Lx7Vb1Nm5Tr8Yc3Hd6Jf0Sg/Ue+AoKiX"`},
		Pass:    []string{"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = $SECRET"},
	},
	{
		name: "a GitHub token", literals: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"},
		pattern: `\b((?:gh[pousr]_[A-Za-z0-9]{36,255})|github_pat_[A-Za-z0-9_]{50,255})\b`,
		good:    func(g []string) bool { return mixed(g[1][4:]) },
		Catch:   []string{"token ghp_a8Kd0fLq3Zx7Vb2Nm5Tr9Yc1Hd6Jf4Sg0Ue2", "github_pat_11ABCDEFG0a8Kd0fLq3Zx7Vb2Nm5Tr9Yc1Hd6Jf4Sg0Ue2QwErTyUi", "ghs_Zx7Vb2Nm5Tr9Yc1Hd6Jf4Sg0Ue2a8Kd0fLq3"},
		Pass:    []string{"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "tokens start with ghp_", "ghp_short"},
	},
	{
		name: "an Anthropic key", literals: []string{"sk-ant-"},
		pattern: `\b(sk-ant-[a-z0-9]+-[A-Za-z0-9_\-]{20,})`,
		good:    func(g []string) bool { return mixed(strings.SplitN(g[1], "-", 4)[3]) && entropy(g[1]) > 3.3 },
		Catch:   []string{"ANTHROPIC_API_KEY=sk-ant-api03-Zx7Vb2Nm5Tr9Yc1Hd6Jf4Sg0Ue2a8Kd0fLq3_x-Y", "sk-ant-oat01-a8Kd0fLq3Zx7Vb2Nm5Tr9Yc1Hd6Jf4Sg0Ue2"},
		Pass:    []string{"sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxx", "keys look like sk-ant-...", "sk-ant-api03-YOUR_KEY_GOES_HERE_PLEASE"},
	},
	{
		name: "an OpenAI key", literals: []string{"sk-proj-", "sk-svcacct-", "T3BlbkFJ"},
		pattern: `\b(sk-(?:proj|svcacct|admin)-[A-Za-z0-9_\-]{40,}|sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})`,
		good:    func(g []string) bool { return mixed(g[1][3:]) },
		Catch:   []string{"sk-proj-Zx7Vb2Nm5Tr9Yc1Hd6Jf4Sg0Ue2a8Kd0fLq3Zx7Vb2Nm5Tr9Yc1"},
		Pass:    []string{"sk-proj-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
	},
	{
		name: "a Slack token", literals: []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe", "xapp-", "hooks.slack.com/"},
		pattern: `\b(xox[bpars]-[0-9]{8,}-[0-9A-Za-z\-]{16,}|xoxe(?:\.xox[bp])?-[0-9A-Za-z\-]{20,}|xapp-[0-9]-[A-Z0-9]{8,}-[0-9]{8,}-[0-9a-f]{32,}|hooks\.slack\.com/(?:services|workflows)/T[A-Z0-9]{6,}/[A-Z0-9]{6,}/[A-Za-z0-9]{16,})`,
		good:    func(g []string) bool { return entropy(g[1]) > 3.2 },
		Catch:   []string{"xoxb-" + "123456789012-1234567890123-a8Kd0fLq3Zx7Vb2Nm5Tr9Yc1", "https://hooks.slack.com/services/" + "T01ABCDEF/B02GHIJKL/a8Kd0fLq3Zx7Vb2Nm5Tr9Yc1"},
		Pass:    []string{"xoxb-your-token", "xoxb-000000000000-000000000000-xxxxxxxxxxxxxxxxxxxxxxxx"},
	},
	{
		name: "a password", literals: []string{"pass", "pwd", "secret", "token", "api", "wacht", "kennw"},
		find:  passwords,
		Catch: []string{"password=Tr0ub4dor&3x", `db_password: "k9#Lm2$vQx7!"`, "PASSWORD = hunter2Qx9!z", "passwd: 7hG$kq2Lp9", "API_KEY=9f8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d"},
		Pass:  []string{"password=changeme", "password: <your password>", "PASSWORD=$DB_PASSWORD", "password = os.environ['X']", "password: string", "the password: it must be long", "api_key = getKey()", "password=********", "token: null", "password=password123", `password: "example"`, "secret: ${{ secrets.TOKEN }}", "pwd=/home/dev/project"},
	},
	{
		name: "an IBAN", literals: []string{""},
		pattern: `\b([A-Z]{2}[0-9]{2}(?:[ \-]?[A-Z0-9]{4}){2,7}(?:[ \-]?[A-Z0-9]{1,3})?)\b`,
		good:    func(g []string) bool { return validIBAN(g[1]) },
		Catch:   []string{"pay to NL91 ABNA 0417 1643 00", "DE89370400440532013000", "GB29NWBK60161331926819", "BE68 5390 0754 7034"},
		Pass:    []string{"NL91ABNA0417164301", "AB12 CDEF 3456 7890", "commit DE89370400440532013001", "XX00 0000 0000 0000"},
	},
	{
		name: "a BSN", literals: []string{"bsn", "BSN", "Bsn", "urgerservice"},
		pattern: `(?i)\b(?:bsn|burgerservicenummer)\b[^0-9\n]{0,20}([0-9]{4}[. ]?[0-9]{2}[. ]?[0-9]{3}|[0-9]{3}[. ]?[0-9]{3}[. ]?[0-9]{3}|[0-9]{8})(?:[^0-9]|$)`,
		good:    func(g []string) bool { return elfproef(g[1]) },
		Catch:   []string{"BSN 111222333", "bsn: 123456782", "burgerservicenummer is 1234.56.782"},
		Pass:    []string{"BSN 123456789", "order 111222333", "the BSN field has nine digits", "bsn 000000000"},
	},
}

// matches calls yield with the bounds of each secret of the kind.
func (k *secretKind) matches(text string, yield func(from, to int)) {
	hit := false
	for _, l := range k.literals {
		hit = hit || foldContains(text, l, k)
	}
	if !hit {
		return
	}
	if k.find != nil {
		k.find(text, yield)
		return
	}
	k.once.Do(func() { k.re = regexp.MustCompile(k.pattern) })
	for _, m := range k.re.FindAllStringSubmatchIndex(text, 200) {
		groups := make([]string, len(m)/2)
		for i := range groups {
			if m[2*i] >= 0 {
				groups[i] = text[m[2*i]:m[2*i+1]]
			}
		}
		if k.good == nil || k.good(groups) {
			last := len(groups) - 1
			yield(m[2*last], m[2*last+1])
		}
	}
}

// foldContains is the prefilter. The IBAN's is two letters and two digits,
// which no literal says; passwords come in any case.
func foldContains(text, literal string, k *secretKind) bool {
	switch {
	case literal == "":
		return mayHoldIBAN(text)
	case strings.Contains(text, literal):
		return true
	case k.name == "a password":
		return strings.Contains(text, strings.ToUpper(literal)) || strings.Contains(text, strings.ToUpper(literal[:1])+literal[1:])
	}
	return false
}

func mayHoldIBAN(s string) bool {
	for i := 0; i+14 < len(s); i++ {
		if upper(s[i]) && upper(s[i+1]) && digit(s[i+2]) && digit(s[i+3]) && (i == 0 || !upper(s[i-1]) && !digit(s[i-1])) {
			return true
		}
	}
	return false
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

// maxPrompt bounds what is looked at of a prompt; a longer one is looked at
// in its first and last part.
const maxPrompt = 1 << 20

// judgePrompt looks for secrets and personal data in what the user typed. The
// answer names the kind, never the secret.
func judgePrompt(prompt string) Verdict {
	if len(prompt) > maxPrompt {
		prompt = prompt[:maxPrompt/2] + "\n" + prompt[len(prompt)-maxPrompt/2:]
	}
	for _, k := range secretKinds {
		found := false
		k.matches(prompt, func(int, int) { found = true })
		if found {
			return secretPrompt.verdict(Deny, "This prompt was not sent: it looks like it contains "+k.name+
				". Remove it, or name a file or a variable that holds it instead; if it was real, replace it.")
		}
	}
	return Verdict{Decision: None}
}

// redact takes secrets out of a reason: a path or an argument may hold one.
func redact(v Verdict) Verdict {
	for _, k := range secretKinds {
		type span struct{ from, to int }
		var spans []span
		k.matches(v.Reason, func(from, to int) { spans = append(spans, span{from, to}) })
		for i := len(spans) - 1; i >= 0; i-- {
			v.Reason = v.Reason[:spans[i].from] + "[removed]" + v.Reason[spans[i].to:]
		}
	}
	return v
}
