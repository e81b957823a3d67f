"""Rules of nftables and iptables that drop packets, as the tools in a node print them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from frrlib.diagnosis.facts import LabFacts

_NFT_TABLE = re.compile(r"table (\S+ \S+) \{")
_NFT_CHAIN = re.compile(r"\tchain (\S+) \{")
_NFT_HOOK = re.compile(r"\t\ttype \S+ hook (\S+) .*?(?:policy (\w+);)?")
_NFT_COUNTER = re.compile(r"counter packets (\d+) bytes \d+ ?")
_HANDLE = re.compile(r" # handle (\d+)$")
_NFT_DROP = re.compile(r"(?:^|[ :])(?:drop|reject)(?: |$)")
_POLICY = re.compile(r":(\S+) DROP \[(\d+):\d+\]")
_RULE = re.compile(r"\[(\d+):\d+\] (-A (\S+) .*-j (?:DROP|REJECT)\b.*)")
_OTHER_PROTOCOL = re.compile(r"\b(?:tcp|udp|udplite|sctp|dccp)\b")
_ADDRESS = re.compile(r"\bip6? (saddr|daddr) ([0-9a-f.:/]+)(?: |$)")


@dataclass(frozen=True)
class DropRule:
    """A rule, or the policy of a chain, that drops or rejects packets.

    Attributes:
        place: its chain and table in words ("chain forward of table inet filter").
        text: the rule without its counter.
        hook: the hook of its chain ("forward"); empty if only other chains use the chain.
        packets: the value of its counter; None if it counts no packets.
        removal: the command that removes it.
    """

    place: str
    text: str
    hook: str
    packets: int | None
    removal: str

    @property
    def key(self) -> tuple[str, str, str]:
        """Equal for the same rule at different times."""
        return self.place, self.text, self.removal

    def may_drop(self, hook: str, sender: str, address: str) -> bool:
        """Whether pings or their replies may meet the rule at a hook. Rules of other protocols and addresses do not
        count; sets, marks and other conditions are not evaluated.

        Args:
            hook: "output", "forward" or "input".
            sender, address: source and destination address of the packets.
        """
        if self.hook not in ("", hook, "prerouting", "postrouting", "ingress", "egress"):
            return False
        if _OTHER_PROTOCOL.search(_without_texts(self.text)):
            return False
        ends = {"saddr": sender, "daddr": address}
        return all(_contains(match[2], ends[match[1]]) for match in _ADDRESS.finditer(self.text))


def _contains(network: str, address: str) -> bool:
    try:
        return ip_address(address) in ip_network(network, strict=False)
    except ValueError:
        return True


def drop_rules(facts: LabFacts, node: str, version: int) -> list[DropRule]:
    """The dropping rules of a node now; empty if it has neither `nft` nor `iptables`.

    Args:
        version: the IP version of the packets. iptables has one program for IPv4 and one for IPv6.
    """
    tool = "iptables" if version == 4 else "ip6tables"
    nft_rules = list(parse_nft(facts.output(node, "nft", "-a", "list", "ruleset")))
    return [*nft_rules, *parse_iptables(facts.output(node, f"{tool}-save", "-c"), tool)]


def parse_nft(text: str) -> Iterator[DropRule]:
    """The dropping rules in the output of `nft -a list ruleset`."""
    table = chain = hook = ""
    for line in text.splitlines():
        handle_match = _HANDLE.search(line)
        handle, bare = (handle_match[1] if handle_match else ""), _HANDLE.sub("", line)
        if match := _NFT_TABLE.fullmatch(bare):
            table = match[1]
        elif match := _NFT_CHAIN.fullmatch(bare):
            chain, hook = match[1], ""
        elif match := _NFT_HOOK.fullmatch(bare):
            hook = match[1]
            if match[2] == "drop":
                removal = f"nft 'chain {table} {chain} {{ policy accept; }}'"
                yield DropRule(f"chain {chain} of table {table}", "policy drop", hook, None, removal)
        elif bare.startswith("\t\t") and _NFT_DROP.search(_without_texts(bare)):
            counter = _NFT_COUNTER.search(bare)
            removal = f"nft delete rule {table} {chain} handle {handle}"
            place = f"chain {chain} of table {table}"
            packets = int(counter[1]) if counter else None
            yield DropRule(place, _NFT_COUNTER.sub("", bare).strip(), hook, packets, removal)


def _without_texts(line: str) -> str:
    """A rule without its texts in quotes, such as comments and names."""
    return re.sub(r'"[^"]*"', "", line).strip()


def parse_iptables(text: str, tool: str) -> Iterator[DropRule]:
    """The dropping rules in the output of `iptables-save -c` or `ip6tables-save -c`.

    Args:
        tool: "iptables" or "ip6tables".
    """
    table = ""
    for line in text.splitlines():
        if line.startswith("*"):
            table = line[1:]
        elif policy := _POLICY.fullmatch(line):
            removal = f"{tool} -t {table} -P {policy[1]} ACCEPT"
            place = f"chain {policy[1]} of the table {table} of {tool}"
            yield DropRule(place, "policy DROP", policy[1].lower(), int(policy[2]), removal)
        elif rule := _RULE.fullmatch(line):
            chain = rule[3]
            hook = chain.lower() if chain.isupper() else ""
            removal = f"{tool} -t {table} -D {rule[2].removeprefix('-A ')}"
            yield DropRule(f"chain {chain} of the table {table} of {tool}", rule[2], hook, int(rule[1]), removal)
