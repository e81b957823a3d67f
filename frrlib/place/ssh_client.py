"""Settings of an SSH client whose server is in a lab: the lab's root may have replaced that server."""

from __future__ import annotations

#: By the names of ssh_config(5). A server that refuses the lab's key could otherwise ask for a password on the user's
#: terminal, with any prompt. The user's agents, displays and keys are not forwarded.
SETTINGS = {
    "BatchMode": "yes",
    "PreferredAuthentications": "publickey",
    "IdentitiesOnly": "yes",
    "IdentityAgent": "none",
    "AddKeysToAgent": "no",
    "StrictHostKeyChecking": "yes",
    "GlobalKnownHostsFile": "/dev/null",
    "UpdateHostKeys": "no",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "PermitLocalCommand": "no",
    "Tunnel": "no",
    "LogLevel": "ERROR",
}
