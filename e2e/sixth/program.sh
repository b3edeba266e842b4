#!/bin/sh
# The agent itself: it does two things, if its hook lets it.
hook=$2
prompt=$(cat)
for command in "echo $prompt >made" "echo x >/tmp/elsewhere"; do
	said=$(printf '{"call":"Bash","dir":"%s","input":{"command":"%s"}}' "$PWD" "$command" | sh -c "$hook")
	case $said in
	NO:*) ;;
	*) sh -c "$command" && printf '{"did":"%s"}\n' "$command" ;;
	esac
done
echo '{"done":"did it"}'
