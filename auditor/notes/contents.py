"""The order of the notes: every id of their definitions, theorems, lemmas, examples and remarks."""

from __future__ import annotations

CONTENTS: tuple[str, ...] = tuple(
    f"{lecture}-{name}"
    for lecture, names in {
        "000": "T1 R1 C0 D2 D2b T3 E0 R2 T2.1 R3 E1 T4 T4.1 T4.2 T4.3 T4.4 L3.1 L3.2 S4 L4.1",
        "001": "D RR RR-P RR-A LAP LAP-A CMP-RR CMP-L P1.1 P1.2 T1.7 BUD E1 E2 E3 E3b",
        "002": (
            "D5.1 L5.2 NS L5.3 T5.4 T5.4pf R5.4 EQ L5.5 T5.6 R5.7 T5.7 L5.8 "
            "T5.9 D5.10 L5.11 T5.12 L5.13 T5.14 T5.15 L5.16 L5.17 T5.18 T5.19"
        ),
        "003": "LD LAP R1 R2 R3 E3 E4 EM U U1 U2 EYE M1",
        "004": "P15.1 L15.2 L15.3 L15.4 E1 R1 D2I D2I-A D2I-t1 D2I-t2 PTR P15.5 PTRpf TRI L15.6",
    }.items()
    for name in names.split()
)
