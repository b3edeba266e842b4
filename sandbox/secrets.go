package sandbox

// SecretRow is a path below the home directory that `--home readable` hides.
type SecretRow struct {
	// Path is relative to home.
	Path string
	// File says that it is a regular file.
	File bool
	// Kind groups rows for people: ssh, gpg, cloud, …
	Kind   string
	Reason string
}

// HomeSecrets are what a readable home must not show. It is a deny-list and
// therefore the weaker choice: a secret that is not listed is read. The
// default is a private home, which shows nothing that is not named.
//
// Which row is a file or a directory is what the owning program makes of it;
// the caller looks at the host and corrects it, and drops what is absent.
func HomeSecrets() []SecretRow {
	var all []SecretRow
	for _, group := range homeSecrets {
		for _, path := range group.dirs {
			all = append(all, SecretRow{Path: path, Kind: group.kind, Reason: group.reason})
		}
		for _, path := range group.files {
			all = append(all, SecretRow{Path: path, File: true, Kind: group.kind, Reason: group.reason})
		}
	}
	return all
}

var homeSecrets = []struct {
	kind, reason string
	dirs, files  []string
}{
	{kind: "ssh", reason: "private keys and known hosts",
		dirs: []string{".ssh", ".putty"}},
	{kind: "gpg", reason: "private keys and passphrase agents",
		dirs: []string{".gnupg", ".local/share/gnupg", ".age", ".config/age", ".config/sops"}},
	{kind: "cloud", reason: "access keys of cloud accounts",
		dirs: []string{".aws", ".azure", ".config/gcloud", ".oci", ".config/doctl", ".config/hcloud", ".config/linode-cli",
			".config/scw", ".config/openstack", ".aliyun", ".bluemix", ".config/cloudflared", ".cloudflared", ".wrangler",
			".config/.wrangler", ".config/flyctl", ".fly", ".config/netlify", ".local/share/com.vercel.cli", ".config/railway",
			".railway", ".config/heroku", ".terraform.d", ".pulumi", ".config/pulumi", ".config/op", ".config/Bitwarden CLI",
			".vercel", ".netlify", ".config/stripe", ".databricks", ".snowflake", ".snowsql", ".tsh", ".step", ".dbt", ".config/sigstore", ".sigstore", ".ngrok2", ".config/ngrok"},
		files: []string{".boto", ".s3cfg", ".config/rclone/rclone.conf", ".terraformrc", ".vault-token", ".rclone.conf", ".databrickscfg", ".vault_pass", ".ansible/vault_pass"}},
	{kind: "cluster", reason: "credentials of clusters",
		dirs:  []string{".kube", ".minikube", ".config/helm", ".config/argocd", ".rancher", ".talos"},
		files: []string{".k3s.yaml"}},
	{kind: "registry", reason: "logins of package and image registries",
		dirs: []string{".docker", ".config/containers", ".config/nix/secrets"},
		files: []string{".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".pypirc", ".config/pypoetry/auth.toml", ".config/pip/pip.conf",
			".pip/pip.conf", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".bundle/config", ".m2/settings.xml",
			".m2/settings-security.xml", ".gradle/gradle.properties", ".composer/auth.json", ".config/composer/auth.json",
			".nuget/NuGet/NuGet.Config", ".config/NuGet/NuGet.Config", ".condarc", ".hex/hex.config", ".config/uv/credentials.toml",
			".config/huggingface/token", ".cache/huggingface/token", ".huggingface/token", ".kaggle/kaggle.json"}},
	{kind: "forge", reason: "tokens of code forges and stored passwords of git",
		dirs:  []string{".config/gh", ".config/glab-cli", ".config/hub", ".config/tea", ".config/git/credential"},
		files: []string{".git-credentials", ".config/git/credentials", ".netrc", "_netrc", ".hgrc", ".subversion/auth"}},
	{kind: "database", reason: "passwords of databases",
		files: []string{".pgpass", ".my.cnf", ".mylogin.cnf", ".config/filezilla/sitemanager.xml", ".config/filezilla/recentservers.xml", ".pg_service.conf", ".mongorc.js", ".dbshell", ".redisclirc", ".config/pgcli/config"}},
	{kind: "browser", reason: "cookies and saved passwords",
		dirs: []string{".mozilla", ".config/google-chrome", ".config/google-chrome-beta", ".config/chromium", ".config/BraveSoftware",
			".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".librewolf", ".thunderbird", ".zen", ".cache/mozilla",
			".cache/google-chrome", ".cache/chromium", "snap", ".var/app"}},
	{kind: "keyring", reason: "stored passwords of the desktop",
		dirs: []string{".local/share/keyrings", ".local/share/kwalletd", ".password-store", ".config/keepassxc", ".config/KeePass",
			".config/1Password", ".config/Bitwarden", ".pki", ".local/share/pass"}},
	{kind: "history", reason: "commands typed, with what was pasted into them",
		files: []string{".bash_history", ".zsh_history", ".zhistory", ".histfile", ".sh_history", ".ash_history", ".local/share/fish/fish_history",
			".config/fish/fish_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history", ".sqlite_history",
			".rediscli_history", ".lesshst", ".viminfo", ".local/share/nushell/history.txt", ".config/nushell/history.txt", ".irb_history"},
		dirs: []string{".local/share/atuin", ".local/state/zsh", ".zsh_sessions", ".bash_sessions"}},
	{kind: "agent", reason: "logins, transcripts and memory of coding agents",
		dirs: []string{".claude", ".codex", ".gemini", ".copilot", ".config/github-copilot", ".config/anthropic", ".config/claude", ".config/Claude",
			".antigravity", ".cursor", ".config/Cursor", ".config/Code", ".vscode-server", ".windsurf", ".codeium", ".aider",
			".config/opencode", ".local/share/opencode", ".config/goose", ".local/share/goose", ".continue", ".qwen", ".kiro", ".amazonq",
			".local/share/amazon-q", ".config/amp", ".config/crush", ".factory", ".openhands", ".cline", ".roo", ".ollama"},
		files: []string{".claude.json", ".claude.json.backup", ".aider.conf.yml", ".config/io.datasette.llm/keys.json"}},
	{kind: "mail", reason: "mail and its passwords",
		dirs:  []string{".config/evolution", ".local/share/evolution", "Maildir", ".config/neomutt", ".mutt"},
		files: []string{".mbsyncrc", ".msmtprc", ".fetchmailrc", ".offlineimaprc", ".muttrc"}},
	{kind: "session", reason: "cookies that let a program act as the user",
		dirs:  []string{".dbus", ".config/pulse", ".local/share/sddm", ".config/Slack", ".config/discord", ".config/Signal", ".local/share/TelegramDesktop"},
		files: []string{".Xauthority", ".ICEauthority", ".config/pulse/cookie"}},
}
