"""The scenarios of docs/rules/atlantis_rising.md, section 23: starts as positions, and a runner for any engine.

The tables of section 23 are read from the rules file. Their starts are a notation, and where a start below is `=` it
is the cell of that row itself; their steps and expectations are prose, and stand below once more as items that a
program can follow. A row may need several cases: `T56a`, `T56b`. `run` knows an engine only through the two callables
it is given and the position they return, so that the same scenarios hold the slow reference and the fast game to the
same account.

A case is `id phase :: start :: play :: end`. The phase is where the start stands: `root` (before setup, through
`initial`), `deploy`, `draw` (before the first misfortune) or `act`. Items of play:

    0: place follower > at hills 6   decisions of seat 0; the seats before it in turn pass, are ready, or yield
    *: die 4                         a chance event; `x3` after an item repeats it
    all ready, all pass              until the phase is over or something else is asked
    deploy centre                    everybody places everything at the centre and is ready
    next; auto board                 the first thing offered; the same until something on offer begins with `board`
    idle                             the round is played out without doing anything
    [0 offers a, b] [0 lacks a] [0 mask a, b]   what seat 0 (none named: whoever decides) is offered; `drain *` is all
                                                six, `mask` is complete and in the order of the ids
    [chance die 1 2, die 2] [outcomes 5] [chance never component]   outcomes with weights, 1 unless said
    [seat 2] [node chance]           who decides; what kind of node it is
    [fact]                           any item of an end
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from helpers.scenarios import Position
from helpers.support import ROOT

RULES = ROOT / "docs" / "rules"
RULES_FILE = RULES / "atlantis_rising.md"
TEXT = RULES_FILE.read_text(encoding="utf-8")
DATA: dict[str, Any] = json.loads((RULES / "atlantis_rising_data.json").read_text(encoding="utf-8"))

PENINSULAS: list[str] = DATA["order"]["peninsulas"]
GOODS: list[str] = DATA["order"]["resources"]
KINDS: list[str] = DATA["order"]["kinds"]
LETTERS = dict(zip("LHFVA", KINDS, strict=True))
CARDS: list[str] = [card["id"] for card in DATA["library"]]
ARTIFACTS: list[str] = [card["id"] for card in DATA["artifacts"]]
MISFORTUNES: list[str] = [card["id"] for card in DATA["misfortunes"]]
COMPONENTS = {item["id"]: item for item in DATA["components"]}
COUNCILORS: list[str] = [board["id"] for board in DATA["councilors"]]
LOCATIONS = [tile["id"] for tile in DATA["tiles"]] + DATA["gates"]["ids"] + list(COMPONENTS)
# Dealt in this order to seats (and the hologram) of which a case says nothing: the first have the least to say.
HARMLESS = ["scholar", "champion", "navigator", "aquanaut", "astrologer", "emissary", "priest", "explorer"]
HARMLESS += ["artificer", "orator"]
IN_LIBRARY = ["golden sieve", "fate knuckle", "mystic conduit", "index of ages"]


@dataclass(frozen=True)
class Scenario:
    """One case of a row of section 23, its parts cut into items; row is the row as it is printed."""

    id: str
    phase: str
    start: tuple[str, ...]
    play: tuple[str, ...]
    end: tuple[str, ...]
    row: tuple[str, ...]


CASES = """
T01 deploy :: = :: 0: place follower > at hills 6; 1: place follower > at hills 5; 2: place follower > at hills 6;
  0: place follower > at hills 6; 1: ready; 2: yield; 0: place follower > at hills 5; 1: ready; 2: place follower;
  [2 offers at hills 4]; [2 lacks at hills 5, at hills 6]
  :: F0@hills 6 x2; F2@hills 6; F0@hills 5; F1@hills 5
T02 act :: = :: 1: resolve > at forests 6; *: die 6 :: crystal1=1
T03 act :: = :: 0: resolve > at forests 6; *: die 3; [0 mask decline, pay]; 0: pay :: E0=0; crystal0=1
T04 act :: F0@forests 6, E0=3 :: 0: resolve > at forests 6; *: die 3; 0: decline :: E0=3; crystal0=0
T05 act :: = :: 0: resolve > at forests 6; *: die 3; [seat 1] :: crystal0=0; E0=2; E1=5; done F0@forests 6
T06 act :: = :: 0: resolve > at cities 2; *: die 3 x2; [1 mask decline, contribute 1]; 1: contribute 1;
  [0 mask seat 0, seat 1]; 0: seat 1 :: E1=0; reserve1=1; reserve0=2; home F1; home F0 x0
T07 act :: Wrath index 1; F0,F1@cities 2; E1=1 :: 0: resolve > at cities 2; *: die 3 x2; 1: decline; [seat 1]
  :: E1=1; reserve0=2; reserve1=2; home F0 x0; home F1 x0; done F0@cities 2; done F1@cities 2
T08 act :: = :: 0: resolve > at forges 3; 0: resolve > at forges 3 :: ore0=0; atlantium0=4
T09 act :: = :: 2: resolve > at forges 1 :: ore2=0; atlantium2=3
T10 act :: = :: 0: resolve > at gate 1 > build spirit seal; [1 mask decline, contribute 2]; 1: contribute 2;
  [0 mask contribute 0, contribute 1]; 0: contribute 0; [2 mask decline, contribute 1]; 2: contribute 1;
  [2 mask decline, contribute 2]; 2: contribute 2; [crystal0=1]; [gold0=gold1=0]; [crystal2=0]; [atlantium2=0];
  [F0@gate 1 x0]; [home F0]; [home F1]; [home F2]; all pass; [phase deploy]; 0: place follower;
  [0 offers at spirit seal] :: built spirit seal; round 2
T11 act :: = :: [0 lacks resolve]; all pass :: crystal0=1; home F0
T12 deploy :: = :: 0: place follower; [0 offers at gate 1, at gate 2]; [0 lacks at gate 3] ::
T13 deploy :: = :: 0: place follower; [0 offers at gate 3] ::
T14a root :: n=4 :: auto place
  :: E0=2; E3=2; home L0; home L3; home F0 x2; home F3 x2; reserve0=2; reserve3=2; misfortunes 61; library 26;
  blueprint 10; index 0; bars -; stack none
T14b root :: n=5 :: auto place
  :: E4=2; home L4; home F4 x2; reserve4=2; misfortunes 61; library 26; blueprint 10; index 0; bars -
T14c root :: n=6 :: auto place
  :: E5=2; home L5; home F5 x2; reserve5=2; misfortunes 61; library 26; blueprint 10; index 0; bars -
T14d root :: n=7 :: auto place
  :: E6=2; home L6; home F6 x2; reserve6=2; misfortunes 61; library 26; blueprint 10; index 0; bars -
T15 root :: n=3 :: auto place :: home L0; home L2; home F0 x3; home F2 x3; reserve0=reserve1=reserve2=3
T16 root :: n=2 :: auto board; [stack 8]; auto place
  :: home L0; home L1; home F0 x4; home F1 x4; reserve0=reserve1=3; home H0; home H1 x0; home A0 x0
T17 root :: n=1 :: auto board; [stack 9]; auto place :: home L0; home F0 x4; reserve0=3; home H0; home A0
T18a root :: n=4; level 1 :: auto place :: E0=E1=E2=E3=2
T18b root :: n=4; level 2 :: auto place :: E0=E1=E2=E3=1
T18c root :: n=4; level 3 :: auto place :: E0=E1=E2=E3=1
T18d root :: n=4; level 4 :: auto place :: E0=E1=E2=E3=1
T18e root :: n=4; level 5 :: auto place :: E0=E1=E2=E3=0
T19 deploy :: = :: all ready; [draws 1+2+0+1]; *: misfortune controlled flooding; [seat 1]; 1: flood hills;
  *: misfortune controlled flooding; [seat 2]; 2: flood hills; *: misfortune controlled flooding; [seat 0];
  0: flood hills; *: misfortune tidal wave; [seat 1] :: fl hills=3
T20 deploy :: = :: all ready; [draws 1+1+0+0]; *: misfortune controlled flooding; [seat 1]; 1: flood hills;
  *: misfortune controlled flooding; [seat 1]; 1: flood hills; *: misfortune controlled flooding; [seat 0];
  0: flood hills; *: misfortune tidal wave; [seat 0] :: fl hills=3
T21 deploy :: = :: all ready :: draws 0+0+0+0
T22 deploy :: = :: all ready :: draws 3+4+0+1+2
T23 root :: n=1; level 1 :: auto place; [E0=3]; [taken 1]; deploy centre; *: misfortune calm seas x4; all pass;
  auto place; [round 2] :: E0=4; taken 2
T24 deploy :: = :: [0 mask yield, place follower] ::
T25 deploy :: = :: 0: place follower; [0 offers at centre] ::
T26 deploy :: = :: 0: place follower; [0 offers at gate 1] ::
T27 deploy :: = :: 0: place follower; [0 lacks at hills 1, at hills 2]; [0 offers at hills 3] ::
T28 deploy :: = :: 0: lift follower > at hills 1; 1: place follower > at hills 1; [0 lacks ready];
  [0 offers place follower] :: lifts0=2; F1@hills 1; home F0
T29a deploy :: n=1, built spirit seal; home L0 :: 0: place leader; [0 offers at spirit seal] ::
T29b deploy :: n=1, built spirit seal; home V0 :: 0: place volunteer; [0 offers at spirit seal] ::
T29c deploy :: n=1, built spirit seal; home H0 :: 0: place hologram; [0 offers at spirit seal] ::
T29d deploy :: n=1, built spirit seal; F0@spirit seal; F0@centre; home A :: 0: place automaton;
  [0 offers at centre, at spirit seal] ::
T29e deploy :: n=1, built spirit seal; home F0 :: 0: place follower; [0 offers at spirit seal] ::
T30 deploy :: = :: [0 mask place follower]; 0: place follower > at hills 5; [0 offers place automaton];
  [0 lacks ready]; 0: place automaton; [0 mask at hills 5] ::
T31 deploy :: built mystic siphon; home F0 :: 0: place follower; [0 offers at mystic siphon] ::
T32 deploy :: = :: 0: barrier hills; [1 mask decline, contribute 1]; 1: contribute 1 :: E0=E1=0; bars hills
T33 deploy :: = :: [0 lacks barrier hills]; [0 offers barrier forests] ::
T34 deploy :: = :: [0 lacks barrier hills]; [0 offers barrier forests] ::
T35 deploy :: = :: 0: drain hills; [fl hills=1]; 1: place follower; [1 offers at hills 2] :: E0=0
T36 deploy :: E0=5 :: [0 lacks drain *]; [0 offers barrier hills] ::
T37 draw :: - :: *: misfortune calm seas; [node chance]
  :: fl all=0; bars -; index 0; misdiscard calm seas; misfortunes 60; draws 1+2+3; E0=E1=E2=E3=0
T38 draw :: = :: *: misfortune forests; [home F0]; [home F1]; [F0@forests 3 x0]; *: misfortune calm seas x3;
  [0 lacks resolve]; [1 lacks resolve] :: fl forests=3
T39 draw :: = :: *: misfortune forests :: bars -; fl forests=1; F0@forests 2
T40 draw :: = :: *: misfortune controlled flooding; 0: flood forests :: bars -; fl forests=2
T41 draw :: = :: *: misfortune forests;
  [0 mask flood mountains, flood hills, flood cities, flood libraries, flood forges]; 0: flood hills x2; [node chance]
  :: fl hills=2; fl forests=6
T42 draw :: = :: *: misfortune forests; 0: flood hills x2 :: bars -; fl hills=1
T43 draw :: = :: *: misfortune forests; 0: flood hills; 0: flood cities :: fl hills=1; fl cities=1
T44 draw :: = :: *: misfortune forests :: loss sunk; misdiscard forests
T45 draw :: fl hills=5, others 6 :: *: misfortune forests; [0 mask flood hills]; 0: flood hills
  :: fl hills=6; loss sunk
T46 draw :: all 36 flooded, F0@centre :: *: misfortune calm seas x4; 0: resolve > at centre; all pass
  :: running; E0=1; round 2; index 1
T47 draw :: - :: *: misfortune calm seas x2; *: misfortune controlled flooding; [seat 2]; [2 mask flood *] ::
T48 draw :: hand0 warding rite, E0=9; fl forests=6 :: *: misfortune forests;
  [0 mask flood mountains, flood hills, flood cities, flood libraries, flood forges] ::
T49 draw :: = :: *: misfortune hills :: fl hills=3; home L0; home F1; L0@hills 2 x0; F1@hills 3 x0
T50 draw :: seat 0 navigator, L0@hills 2, fl hills=2, F1@hills 3, bar hills :: *: misfortune hills
  :: bars -; L0@hills 2; F1@hills 3; fl hills=2
T51 draw :: = :: *: misfortune hills :: fl hills=3; home L0; L0@hills 1 x0
T52 draw :: = :: *: misfortune hills; *: misfortune calm seas x3; 0: resolve > at hills 3; *: die 4;
  1: resolve > at hills 3; *: die 3; [seat 2] :: fl hills=3; L0@hills 3; F1@hills 3; gold0=1; gold1=0
T53 act :: = :: 0: resolve > at hills 5; *: die 6; 0: pay :: gold0=1; E0=0
T54 act :: = :: 0: resolve > at hills 6; *: die 6; [seat 1] :: gold0=0
T55 act :: = :: 0: resolve > at hills 1; [node decision]; [seat 1] :: gold0=1
T56a act :: seat 0 explorer, earthquake 1, atlas hills 1, L0@hills 4 :: 0: resolve > at hills 4; *: die 3 :: gold0=1
T56b act :: seat 0 explorer, earthquake 1, atlas hills 1, L0@hills 4 :: 0: resolve > at hills 4; *: die 2 :: gold0=0
T57 act :: = :: 0: resolve > at hills 1; *: die 6 :: gold0=1
T58 act :: = :: 0: resolve > at cities 1; *: die 4; *: die 3; [node decision] :: home F0; reserve0=1
T59 act :: = :: 0: resolve > at cities 2; *: die 1; *: die 5;
  [0 mask decline, reroll first, reroll second, reroll both]; 0: reroll first; *: die 3; [0 mask seat 0, seat 1] ::
T60 act :: seat 0 priest; L0,F1@cities 2 :: 0: resolve > at cities 2; *: die 1; *: die 5; 0: reroll both; *: die 1;
  *: die 2; [seat 1]; [1 offers pass] :: reserve0=reserve1=2; done L0@cities 2
T61 deploy :: seat 0 emissary; F1,F2@cities 1; home L0 :: 0: place leader > at cities 1; all ready;
  *: misfortune calm seas x4; 0: resolve > at cities 1; *: die 6; *: die 5; [0 mask seat 0, seat 1, seat 2] ::
T62 act :: = :: [0 lacks resolve]; [1 lacks resolve] ::
T63 act :: F0,F1@cities 1, reserves 0, reserve1=1 :: 0: resolve > at cities 1; *: die 6; *: die 5; [seat 1]
  :: reserve1=0; home F1; home F0 x0
T64 act :: = :: 0: resolve > at cities 1; *: die 6 x2; 0: seat 0; 0: play cryptographic expertise > at cities 1;
  1: resolve > at cities 1; *: die 6 x2; 1: seat 1 :: home F0; home F1; reserve0=reserve1=1; hand0 -
T65 act :: L0,F1@cities 1; hand3 enigma of fervour :: 0: resolve > at cities 1; *: die 6 x2; 0: seat 0;
  3: play enigma of fervour > seat 0 > at cities 1 :: ready L0@cities 1; ready F1@cities 1; hand3 -
T66 act :: = :: 0: resolve > at libraries 1; *: library warding rite; *: library ebbing tide; [seat 0];
  [0 mask play warding rite, play mystic font, play augury, discard warding rite, discard ebbing tide,
  discard mystic font, discard augury] ::
T67 act :: = :: 0: resolve > at libraries 6; *: library augury; *: library mystic font;
  [0 mask keep mystic font, keep augury]; 0: keep augury; [seat 1] :: hand0 augury; libdiscard mystic font
T68 act :: = :: 0: resolve > at libraries 3; *: library augury; *: library mystic font; 0: keep augury;
  [0 mask decline, keep mystic font]; 0: keep mystic font :: hand0 mystic font+augury; E0=0; bottom -
T69a act :: = :: 0: resolve > at libraries 3; *: library augury; *: library mystic font; 0: keep augury; [seat 1]
  :: hand0 augury; bottom mystic font; libdiscard -
T69b act :: F0@libraries 3; library deck -; bottom mystic font, augury :: 0: resolve > at libraries 3;
  [chance library mystic font]; *: library mystic font; [chance library augury] ::
T70 act :: F0@libraries 3; library deck - :: [0 lacks resolve] :: libdeck augury x0
T71 act :: F0@libraries 6; hand0 augury x2, mystic font; art0 golden sieve :: 0: resolve > at libraries 6;
  *: library warding rite; *: library ebbing tide; 0: keep ebbing tide; [0 offers discard golden sieve];
  [0 lacks pass] ::
T72 act :: F0@libraries 6, F0@hills 4; library deck golden sieve :: 0: resolve > at libraries 6;
  [chance library golden sieve]; *: library golden sieve; [art0 golden sieve]; 0: resolve > at hills 4; *: die 4
  :: gold0=1
T73 act :: = :: [0 lacks resolve] ::
T74 act :: = :: 0: resolve > at forges 3; [0 lacks resolve] :: atlantium0=2; ore0=0
T75 act :: = :: 0: resolve > at centre; 0: resolve > at centre; 0: resolve > at centre; [0 lacks resolve] :: E0=3
T76 act :: = :: 0: resolve > at amplification chamber; [0 mask seat 0]; 0: seat 0; [0 mask take gold]; 0: take gold
  :: gold0=3
T77 act :: = :: 0: resolve > at soul terraformer; [0 mask drain hills]; 0: drain hills;
  [0 mask decline, drain hills]; 0: drain hills; 0: decline; [removed0=1]; [fl hills=1]; all pass
  :: home L1; home F0 x0
T78 act :: built soul terraformer; V0,L1 there; fl hills=3; supply 7 :: [0 lacks resolve]; [1 lacks resolve] ::
T79 act :: = :: 0: resolve > at hills 6; *: die 4; [0 lacks resolve] :: gold0=1
T80 act :: = :: 0: resolve > at cities 3; *: die 4; *: die 3; [node decision] :: home F0; reserve0=2
T81 act :: n=2, first=1, H1@hills 1 :: 1: resolve > at hills 1; *: die 3 :: gold1=1
T82 act :: = :: all pass :: home F0; supply 8; home V0 x0
T83 act :: = :: 0: resolve > at summoning conduit; all pass; [home V0 x2]; [supply 6]; [round 2]; 0: place volunteer;
  0: at centre; 0: place volunteer > at centre; deploy centre; *: misfortune calm seas x4; all pass
  :: home V0 x0; supply 8
T84 act :: = :: 0: resolve > at gate 1 > build solar matrix; [0 mask contribute 0, contribute 1, contribute 2];
  0: contribute 2 :: crystal0=0; crystal1=2; home F0; home F1; E0=E1=E2=E3=1; built solar matrix
T85 act :: F0@gate 1, crystal0=1, crystal1=3 :: [0 lacks resolve] ::
T86 act :: = :: [0 lacks resolve] ::
T87 act :: 8 built, all L on gate 1; gold0=9; crystal1=9; atlantium2=9; E3=9 :: 0: resolve > at gate 1;
  [0 mask build entropy drive] ::
T88 act :: 9 built, L0-L2 on gate 1; gold0=2; crystal1=2; atlantium2=2; E0=2 :: [0 lacks resolve]; [1 lacks resolve] ::
T89 act :: 9 built, all L on gate 1; gold0=2; crystal1=2; atlantium2=2; E0=2 :: [0 lacks resolve];
  [3 lacks resolve] ::
T90 act :: = :: 0: resolve > at gate 1 > build power core; [1 mask decline, contribute 2]; 1: contribute 2;
  2: contribute 2; 3: contribute 2 :: win core; index 0; round 1; E3=0
T91 act :: 8 built; all L on gate 1, F0,F1,F2@gate 2; gold0=4, crystal1=3, atlantium2=5, E3=2
  :: 0: resolve > at gate 2 > build entropy drive; 1: contribute 1; 2: contribute 3; [built entropy drive];
  1: resolve > at gate 1 > build power core; 0: contribute 2; 2: contribute 2; 3: contribute 2
  :: win core; round 1; index 0
T92 act :: = :: all pass; [seat 0]; [phase wrath]; 0: flood cities; [bars -]; [fl cities=0]; 0: flood cities
  :: bars -; fl cities=1; index 4; round 2
T93 act :: = :: all pass; [phase deploy] :: fl all=0; index 1; round 2
T94 act :: = :: all pass; 0: flood hills x3; [phase deploy] :: fl hills=3; index 5; round 2
T95 act :: = :: all pass; 0: flood hills x2 :: loss sunk; fl hills=6
T96 act :: = :: all pass; [round 2] :: first 0
T97 root :: n=2; opt councilors=artificer+explorer :: auto board; *: board priest; *: board emissary; [seat 0];
  [0 mask councilor priest, councilor emissary]; 0: councilor priest; [boards emissary]; [home H0]; deploy centre;
  *: misfortune calm seas x4; all pass; [round 2]; [boards priest+emissary]; [home H0 x0]; *: board navigator;
  *: board aquanaut; [seat 1]; 1: councilor aquanaut; [home H1]; [home H0 x0]; deploy centre;
  *: misfortune calm seas x4; all pass; 1: flood hills; [round 3] :: boards priest+emissary+navigator+aquanaut; stack 4
T98a root :: n=2; opt councilors=artificer+explorer :: *: artifact everburning bellows; *: artifact mystic conduit;
  *: artifact keystone of wards; *: artifact bottomless satchel; *: board scholar; *: board priest;
  0: councilor scholar; [chance artifact miner idol, artifact golden sieve, artifact singing shard,
  artifact mask of voices, artifact fate knuckle, artifact tidewatch glass]; *: artifact miner idol;
  [chance artifact golden sieve, artifact singing shard, artifact mask of voices, artifact fate knuckle,
  artifact tidewatch glass]; *: artifact tidewatch glass; [0 mask keep miner idol, keep tidewatch glass];
  0: keep miner idol :: hologram scholar/miner idol; unused 6; home H0
T98b act :: n=2; round 4; first=1; hologram scholar/miner idol; stack - :: all pass; [round 5]; [unused 7];
  [outcomes 8]; *: board scholar; *: board priest; 0: councilor scholar; [chance artifact miner idol,
  artifact singing shard, artifact mask of voices, artifact tidewatch glass]; *: artifact miner idol;
  *: artifact mask of voices; 0: keep mask of voices :: hologram scholar/mask of voices; unused 6
T99 act :: = :: 0: resolve > at gate 1 > build tidal regulator; [0 mask discount atlantium]; 0: discount atlantium;
  [seat 1] :: gold0=crystal0=atlantium0=0; built tidal regulator
T100 act :: seat 0 artificer, F0@gate 1; gold0=1, crystal0=1, atlantium0=1 :: [0 lacks resolve] ::
T101 act :: = :: 0: resolve > at gate 1 > build power core; [0 mask discount energy]; 0: discount energy;
  [1 mask decline, contribute 1]; 1: contribute 1; [2 mask decline, contribute 1]; 2: contribute 1;
  [3 mask decline, contribute 1]; 3: contribute 1; [4 mask decline, contribute 1]; 4: contribute 1;
  [5 mask decline, contribute 1]; 5: contribute 1; [6 mask decline, contribute 1]; 6: contribute 1
  :: win core; gold0=gold1=crystal2=crystal3=atlantium4=atlantium5=E6=0
T102 act :: = :: 1: resolve > at hills 4; *: die 4 :: gold1=1
T103 act :: = :: 1: resolve > at hills 4; *: die 4; [0 mask decline, reroll first]; 0: decline;
  [1 mask decline, pay] ::
T104 act :: seat 0 priest; L0,F1@hills 4; E1=1 :: 1: resolve > at hills 4; *: die 4; 0: reroll first; *: die 1;
  [seat 2] :: gold1=0; E1=1
T105 deploy :: = :: 0: place leader; [0 offers at hills 1]; 0: at hills 1; [0 offers lift leader] ::
T106 deploy :: = :: 0: place leader; [0 offers at hills 3]; [0 lacks at hills 1, at hills 2]; 0: at hills 3;
  1: place follower > at hills 3; [0 lacks lift leader] ::
T107a deploy :: = :: 0: place leader; [0 offers at hills 1, at hills 2, at hills 3]; 0: at hills 3;
  1: place follower; [1 offers at hills 3]; [1 lacks at hills 1, at hills 2] ::
T107b deploy :: = :: 0: place leader > at hills 1; 1: place follower; [1 lacks at hills 1] ::
T108 act :: = :: [0 lacks resolve] ::
T109a root :: n=4; opt councilors=scholar+champion+navigator+aquanaut :: *: artifact everburning bellows;
  *: artifact mystic conduit; *: artifact keystone of wards; *: artifact bottomless satchel; [outcomes 6];
  *: artifact golden sieve; [outcomes 5]; *: artifact miner idol; [0 mask keep miner idol, keep golden sieve];
  0: keep golden sieve :: scholar0 golden sieve; unused 6; phase deploy
T109b act :: seat 0 scholar; scholar0 golden sieve; F0@hills 4 :: [unused 6]; 0: resolve > at hills 4; *: die 4
  :: gold0=1
T109c act :: seat 0 scholar; scholar0 golden sieve; F0@libraries 1; hand0 augury x2 :: 0: resolve > at libraries 1;
  *: library mystic font; *: library ebbing tide; [0 offers discard golden sieve]; [0 lacks pass];
  0: discard golden sieve; [seat 1] :: unused 7; scholar0 -; libdiscard -
T110 draw :: = :: *: misfortune forests x2; *: misfortune calm seas x2; [L0@forests 1]; 0: resolve > at forests 1;
  *: die 3 :: fl forests=2; crystal0=1
T111 deploy :: = :: all ready; *: misfortune calm seas x4; [seat 0]; [0 lacks at hills 1, ready];
  [0 offers at hills 3, at centre, at gate 1]; 0: at hills 3 :: L0@hills 3; F0@hills 3; phase actions
T112 deploy :: seat 0 astrologer; home L0, F0 x2 :: [0 lacks ready] ::
T113 act :: = :: 0: resolve > at hills 6; *: die 1 :: gold0=0; home V0; supply 7
T114 act :: seat 0 orator, supply 0, L0@centre :: 0: resolve > at centre :: E0=1; home V0 x0
T115 root :: n=1 :: auto board; [stack 9]; auto place; idle; [stack 7]; auto place; idle; [stack 5]; auto place; idle;
  [stack 3]; auto place; idle; [stack 1]; [outcomes 1]; next; [outcomes 8] :: round 5; stack 8
T116 act :: = :: [0 lacks play cryptographic expertise]; 0: resolve > at hills 1; *: die 3;
  0: play cryptographic expertise > at hills 1; 0: resolve > at hills 1; *: die 3
  :: gold0=2; libdiscard cryptographic expertise; hand0 -
T117 act :: = :: 1: resolve > at centre; 0: play enigma of fervour; [0 mask seat 1]; 0: seat 1 > at centre;
  1: resolve > at centre :: E1=2
T118 act :: = :: 0: play ancient atlas > chart forests; 0: resolve > at forests 6; *: die 4 :: crystal0=1
T119 act :: = :: 0: play transmutation > give gold; [0 mask take ore, take crystal]; 0: take crystal;
  [0 mask decline, give gold, give crystal]; 0: decline :: gold0=1; crystal0=1; libdiscard transmutation
T120a deploy :: = :: 0: play call for aid; [home V0]; [0 lacks ready]; [0 offers place volunteer] :: supply 0
T120b draw :: hand0 call for aid :: *: misfortune calm seas; [node chance] ::
T121 draw :: = :: *: misfortune calm seas; 2: play warding rite > barrier hills; *: misfortune hills
  :: fl hills=0; bars -; hand2 -
T122 draw :: = :: *: misfortune calm seas; 2: play ebbing tide > drain hills; [fl hills=5]; *: misfortune hills;
  [node chance] :: fl hills=6; fl forests=0
T123 act :: = :: 2: play mystic font > seat 1 :: E1=3
T124 deploy :: = :: 0: play augury; *: look hills; *: look maelstrom; *: look hills;
  [0 mask decline, remove hills, remove maelstrom]; 0: remove maelstrom; [top hills+hills]; all ready;
  [chance misfortune hills] :: misdiscard maelstrom
T125 draw :: hand2 swift evacuation; hand3 swift evacuation; F0@hills 1 :: *: misfortune hills;
  [2 mask decline, play swift evacuation]; 2: decline; 3: play swift evacuation; *: misfortune calm seas x3;
  0: resolve > at hills 1; *: die 6 :: fl hills=1; gold0=1; hand3 -; hand2 swift evacuation
T126 act :: = :: 0: play archive recovery; [0 mask decline, keep mystic font, keep augury]; 0: keep mystic font
  :: hand0 mystic font; libdiscard -; bottom -; libdeck augury x2; libdeck archive recovery; libdeck ebbing tide x2
T127a act :: art0 golden sieve; F0@hills 4 :: 0: resolve > at hills 4; *: die 4 :: gold0=1
T127b act :: art0 miner idol; F0@mountains 4 :: 0: resolve > at mountains 4; *: die 4 :: ore0=1
T127c act :: art0 singing shard; F0@forests 4 :: 0: resolve > at forests 4; *: die 4 :: crystal0=1
T127d act :: art0 golden sieve; F1@hills 4 :: 1: resolve > at hills 4; *: die 4 :: gold1=0
T128 act :: = :: 0: resolve > at cities 2; *: die 3; *: die 4; [0 mask seat 0, seat 1] ::
T129 act :: = :: 0: resolve > at hills 4; *: die 1; [0 mask decline, knuckle]; 0: knuckle; *: die 5;
  0: resolve > at hills 4; *: die 1; [seat 1] :: gold0=1
T130 deploy :: = :: 0: peek; *: look panic; [0 lacks peek] :: top panic
T131 act :: = :: 0: resolve > at forges 3; [atlantium0=3]; 0: resolve > at forges 3 :: atlantium0=5; ore0=0
T132a deploy :: = :: 0: barrier hills; [1 mask decline, contribute 2]; 1: contribute 2 :: bars hills; E0=E1=0
T132b deploy :: art0 keystone of wards; E0=1, E1=2 :: [0 offers barrier *]; [1 lacks barrier *] ::
T133 act :: = :: [E0=0]; all pass; [round 2] :: E0=1; E1=0
T134 act :: art0 bottomless satchel; hand0 augury x2, mystic font x2, ebbing tide; F0@libraries 6
  :: [0 offers pass]; 0: resolve > at libraries 6; *: library warding rite; *: library transmutation;
  0: keep warding rite; [0 offers discard bottomless satchel]; 0: discard bottomless satchel; [seat 0];
  0: discard augury; [0 lacks pass]; 0: discard augury; [seat 1]
  :: hand0 warding rite+ebbing tide+mystic font+mystic font; art0 -;
  libdiscard transmutation+augury+augury+bottomless satchel
T135 act :: = :: 0: resolve > at libraries 3; *: library augury; *: library mystic font; *: library warding rite;
  0: keep augury; [0 mask decline, keep warding rite, keep mystic font]; 0: keep mystic font;
  [0 mask decline, keep warding rite]; 0: decline :: hand0 mystic font+augury; E0=1; bottom warding rite
T136 act :: art0 index of ages, F0@libraries 1, E0=0 :: 0: resolve > at libraries 1; *: library augury;
  *: library mystic font; *: library warding rite; 0: keep augury; 0: keep mystic font
  :: hand0 mystic font+augury; bottom warding rite
T137 act :: F0@gate 1; gold0=2; crystal0=1; E0=1 :: 0: resolve > at gate 1 > build aegis emitter;
  [0 mask decline, barrier *]; 0: barrier hills; 0: decline; [seat 1] :: bars hills
T138a act :: F0@gate 1; gold0=1; crystal0=1; atlantium0=2; fl hills=2 :: 0: resolve > at gate 1;
  0: build tidal regulator; [0 mask decline, drain hills]; 0: drain hills x2; [seat 1] :: fl hills=0
T138b act :: F0@gate 1; gold0=1; crystal0=1; atlantium0=2 :: 0: resolve > at gate 1 > build tidal regulator; [seat 1]
  :: built tidal regulator
T139a act :: F0@gate 1; gold0=2; crystal0=1; atlantium0=3; index 3 :: 0: resolve > at gate 1 > build entropy drive
  :: index 2
T139b act :: F0@gate 1; gold0=2; crystal0=1; atlantium0=3 :: 0: resolve > at gate 1 > build entropy drive :: index 0
T140 act :: plan muster array; F0@gate 1; gold0=1; crystal0=1; atlantium0=2 :: 0: resolve > at gate 1;
  0: build muster array; [0 mask seat 0, seat 1, seat 2, seat 3]; 0: seat 2 x2; [seat 1]
  :: reserve2=0; home F2 x2; home F0
T141 act :: plan memory crystal; F0@gate 1; crystal0=3; E0=1; discard augury; hand1 ancient atlas x2, mystic font x2
  :: [libdeck augury]; 0: resolve > at gate 1 > build memory crystal; [libdiscard -]; [libdeck augury x2];
  *: library augury; *: library warding rite; *: library ebbing tide; *: library golden sieve; [seat 1];
  [1 lacks pass]; [1 offers discard warding rite]; 1: discard ancient atlas
  :: hand0 augury; hand2 ebbing tide; art3 golden sieve; libdiscard ancient atlas
T142 act :: = :: 0: resolve > at mystic siphon :: E0=3
T143 act :: = :: 0: resolve > at spirit seal :: E0=2
T144 act :: built foundry crucible, F0 there, ore0=1 :: 0: resolve > at foundry crucible :: atlantium0=3; ore0=0
T145 act :: built matter converter, F0 there, ore0=2 :: 0: resolve > at matter converter > give ore > take gold;
  0: give ore > take crystal; 0: decline :: gold0=1; crystal0=1; ore0=0
T146 act :: built stasis anchor, F0 there :: 0: resolve > at stasis anchor; [0 mask barrier *]; 0: barrier cities
  :: bars cities
T147 act :: built prism lens, F0 there :: 0: resolve > at prism lens; [0 mask take gold, take crystal]; 0: take gold
  :: gold0=1
T148 act :: built numinous beacon, F0 there :: 0: resolve > at numinous beacon; *: look calm seas; *: look hills;
  *: look forges; [0 mask decline, remove hills, remove forges, remove calm seas]; 0: remove forges; [seat 1]
  :: top calm seas+hills; misdiscard forges
T149a act :: = :: 1: resolve > at tectonic engine; [1 mask drain hills]; 1: drain hills :: fl hills=0
T149b act :: built tectonic engine; F0 there; fl hills=1 :: [0 lacks resolve] ::
T150 act :: = :: 1: resolve > at chronal lattice; [1 mask take ore, take gold, take crystal]; 1: take gold; [seat 0];
  0: take ore :: gold1=1; ore0=1
T151a act :: built resonance vault; F0,F1 there :: 0: resolve > at resonance vault :: E0=E1=2
T151b act :: built resonance vault; F0 there x2 :: 0: resolve > at resonance vault :: E0=4
T152 act :: built celestial orrery; F0,F1 there :: 0: resolve > at celestial orrery; *: look hills x2;
  *: look forges; *: look calm seas; 0: remove hills;
  [0 mask decline, remove hills, remove forges, remove calm seas]; 0: remove forges; [seat 1]
  :: top hills+calm seas; misdiscard hills+forges
T153 act :: built soul terraformer; F0,F1 there; fl hills=1 :: 0: resolve > at soul terraformer;
  [0 mask seat 0, seat 1]; 0: seat 1; [0 mask drain hills]; 0: drain hills; [seat 1] :: removed1=1; fl hills=0
T154 draw :: = :: *: misfortune plague; [0 mask at hills 1]; 0: at hills 1; [0 mask at centre]; 0: at centre
  :: home F0; home F1; F1@centre; F2@hills 2; home F2 x0
T155 draw :: = :: *: misfortune plague; 0: at hills 3; [node chance] :: home F0; home A
T156a draw :: F0,F1@cities 1 :: *: misfortune panic; *: misfortune calm seas x3; [0 lacks resolve];
  [1 lacks resolve] :: closed cities
T156b draw :: F0@libraries 1 :: *: misfortune sealed archives; *: misfortune calm seas x3; [0 lacks resolve]
  :: closed libraries
T156c draw :: F0@forges 1; ore0=1 :: *: misfortune cold furnaces; *: misfortune calm seas x3; [0 lacks resolve]
  :: closed forges
T156d draw :: F0@centre :: *: misfortune mystic drought; *: misfortune calm seas x3; [0 lacks resolve]
  :: closed centre
T157a draw :: F0,F1,F2@gate 1; gold1=2, gold0=1, crystal0=1, crystal2=1, atlantium2=2; F3@gate 2; crystal3=2
  :: *: misfortune unstable gate; *: misfortune calm seas x3; 0: resolve > at gate 1 > build spirit seal;
  1: contribute 2; 0: contribute 0; 2: contribute 1; 2: contribute 2; [3 lacks resolve] :: built spirit seal
T157b draw :: F0,F1,F2@gate 1; gold1=2, gold0=1, crystal0=1, crystal2=1, atlantium2=2; F3@gate 2; crystal3=2
  :: *: misfortune calm seas x4; 0: resolve > at gate 1 > build spirit seal; 1: contribute 2; 0: contribute 0;
  2: contribute 1; 2: contribute 2; [3 offers resolve] :: built spirit seal
T158 draw :: = :: *: misfortune tidal wave; [0 mask flood hills, flood cities]; 0: flood hills :: fl hills=2
T159a draw :: - :: *: misfortune storm surge; [0 mask flood *]; 0: flood hills;
  [0 mask flood mountains, flood forests, flood cities, flood libraries, flood forges]; 0: flood forges; [node chance]
  :: fl hills=1; fl forges=1
T159b draw :: fl hills=4, others 6 :: *: misfortune storm surge; 0: flood hills; [node chance] :: fl hills=5
T160a draw :: bar hills, cities :: *: misfortune broken wards; [node chance] :: bars -; fl all=0
T160b draw :: - :: *: misfortune broken wards; [0 mask flood *]; 0: flood hills; [node chance] :: fl hills=1
T161 draw :: = :: *: misfortune mystic leak :: E0=2; gold1=2; E1=0
T162 draw :: - :: *: misfortune maelstrom; [draws 0+0+1+2+3]; *: misfortune calm seas x2;
  *: misfortune controlled flooding; [seat 1] ::
T163 draw :: = :: *: misfortune divine fury; *: misfortune calm seas x3; all pass; [phase wrath]; 0: flood hills x2;
  [round 2] :: fl hills=2; index 2
T164 deploy :: = :: 0: yield; 0: yield; [0 mask place follower] ::
T165 deploy :: = :: 0: barrier hills > contribute 2; 1: decline; [E0=2]; [E1=3]; [free0]; [declines0=2];
  [1 offers barrier hills]; [0 offers barrier hills] :: bars -
T166 deploy :: = :: 0: barrier hills; [seat 1] :: E0=0; E1=3; bars hills
T167a act :: F0,F1,F2@gate 1; gold1=2, gold0=1, crystal0=1, crystal2=1, atlantium2=2
  :: 0: resolve > at gate 1 > build spirit seal; 1: decline; [seat 1]; [gold0=1]; [gold1=2]; [ready F0@gate 1];
  [ready F1@gate 1]; [1 offers resolve]; [0 offers resolve] :: free0; declines0=2
T167b act :: F0,F1,F2@gate 1; gold1=2, gold0=1, crystal0=1, crystal2=1, atlantium2=2
  :: 0: resolve > at gate 1 > build spirit seal; 1: decline; 1: resolve; [1 mask at gate 1] ::
T168 draw :: = :: *: misfortune calm seas; [0 mask pass, drain hills] ::
T169 draw :: = :: *: misfortune calm seas; [seat 0]; [0 mask pass, drain hills] ::
T170 draw :: = :: *: misfortune calm seas; [node chance] ::
T171 act :: = :: all pass :: E0=0; home F0; round 2
T172 deploy :: misfortune deck - :: all ready; [chance misfortune mountains 6, misfortune hills 6,
  misfortune forests 6, misfortune cities 6, misfortune libraries 6, misfortune forges 6, misfortune calm seas 9,
  misfortune controlled flooding 3, misfortune earthquake, misfortune plague, misfortune panic,
  misfortune sealed archives, misfortune cold furnaces, misfortune mystic drought, misfortune unstable gate,
  misfortune tidal wave, misfortune storm surge, misfortune broken wards, misfortune mystic leak,
  misfortune maelstrom, misfortune divine fury]
  :: misdiscard -
T173 deploy :: n=1; L0@forests 1, lifts0=0; home F0, A :: 0: place follower; [0 offers at centre, at hills 3];
  [0 lacks at hills 1]; 0: at hills 3; [0 mask place automaton] ::
T174a act :: n=1; opt solo_prices=reduced; 9 built; L0@gate 1; gold0=2; crystal0=1; atlantium0=1; E0=2
  :: 0: resolve > at gate 1; [0 mask build power core]; 0: build power core :: win core; gold0=crystal0=E0=0
T174b act :: n=1; 9 built; L0@gate 1; gold0=2; crystal0=1; atlantium0=1; E0=2
  :: [0 lacks resolve] ::
T174c act :: n=1; 9 built; L0@gate 1; gold0=2; crystal0=2; atlantium0=2; E0=2
  :: 0: resolve > at gate 1 > build power core :: win core; crystal0=atlantium0=0
T175 root :: n=4; level 2 :: auto component; [outcomes 5]; next; [outcomes 4]; next; [outcomes 3]; next; [outcomes 2];
  next; [outcomes 5]; next; [outcomes 4]; next; [outcomes 3]; next; [outcomes 5]; next; [outcomes 4]; next;
  [chance never component] :: blueprint 10
T176 root :: n=2; level 1; opt councilors=draft :: auto councilor; 0: councilor priest;
  [1 mask councilor artificer] ::
T177 act :: = :: 0: resolve > at cities 6; *: die 1; *: die 2;
  [0 mask decline, contribute 5, contribute 6, contribute 7, contribute 8, contribute 9] ::
T178 act :: F0@cities 3 :: [0 lacks resolve] ::
T179 draw :: = :: *: misfortune cities :: home F0 x2; fl cities=3
T180 draw :: = :: *: misfortune hills; [spent0=1]; [home V0 x0]; *: misfortune calm seas x3; all pass
  :: spent0=0; supply 8
T181 act :: opt round_limit=30; round 30 :: all pass :: loss round limit; round 30; returns -1
T182 act :: n=1; index 0 :: [taken 1]; all pass; [round 2] :: E0=1; taken 2
T183 act :: n=1; round 6; index 5 :: [taken 6]; all pass; 0: flood hills x3; [round 7] :: E0=0; taken 6; index 5
T184 draw :: = :: *: misfortune hills :: fl hills=2; home L0; L0@hills 5 x0
T185 act :: = :: 0: resolve > at cities 6; *: die 3 x2; [seat 1]; [1 offers pass] :: E0=3; E1=2; E2=1
T186 act :: seat 0 emissary; L0,F1,F2@cities 6; E0=4, E1=2, E2=1 :: 0: resolve > at cities 6; *: die 3 x2;
  [0 mask decline, contribute 4]; 0: contribute 4; [1 mask decline, contribute 2]; 1: contribute 2;
  [0 mask seat 0, seat 1, seat 2] :: E0=E1=0; E2=1
T187 act :: seat 0 emissary; L0,F1,F2@cities 6; E0=4, E1=4, E2=4 :: 0: resolve > at cities 6; *: die 3; *: die 4;
  0: contribute 2; 1: decline; 0: contribute 1; 2: contribute 4; [0 mask seat 0, seat 1, seat 2]
  :: E0=3; E1=4; E2=0
T188 act :: n=1; L0@cities 1, F0@cities 1, seat 0 orator, reserve0=0 :: 0: resolve > at cities 1; [node decision]
  :: home V0; done L0@cities 1; done F0@cities 1
T189a act :: seat 0 orator, L0@forges 1, ore0=0 :: 0: resolve > at forges 1 :: home V0; atlantium0=0
T189b act :: seat 0 orator, L0@forges 1, ore0=0, supply 0 :: [0 lacks resolve] ::
T190a root :: n=4; level 2; opt blueprint=aegis emitter+tidal regulator+summoning conduit+spirit seal+mystic siphon
  +matter converter+foundry crucible+prism lens+stasis anchor :: auto artifact; next; next; next; next;
  [chance never component]; auto place; [unbuilt prism lens] :: blueprint 10
T190b root :: n=4; level 2; opt blueprint=solar matrix+aegis emitter+tidal regulator+summoning conduit+spirit seal
  +mystic siphon+matter converter+prism lens+stasis anchor; error :: ::
T191a act :: round 30 :: all pass; [round 31] :: running
T191b act :: round 99 :: all pass; [round 100] :: running
T192 act :: round 100 :: all pass :: loss truncated; round 100; truncated; returns 0
T193a act :: opt truncation=2; opt round_limit=2; round 2 :: all pass :: loss round limit; returns -1
T193b act :: opt truncation=2; opt round_limit=3; round 2 :: all pass :: loss truncated; truncated; returns 0
T194 deploy :: opt decline_budget=0; E0=2, E1=3 :: 0: barrier hills > contribute 2; 1: decline; [barred0];
  [1 offers barrier hills]; [0 lacks barrier *] :: bars -
T195 act :: opt decline_budget=0; F0,F1,F2@gate 1; gold1=2, gold0=1, crystal0=1, crystal2=1, atlantium2=2
  :: 0: resolve > at gate 1 > build spirit seal; 1: decline; [1 offers resolve]; [0 lacks resolve] :: barred0
T196 deploy :: = :: 0: barrier hills > contribute 2; 1: decline; 0: barrier hills > contribute 2; 1: decline;
  0: barrier hills > contribute 2; 1: decline; [declines0=0]; [free0]; 0: barrier hills > contribute 2; 1: decline;
  [barred0]; [0 lacks barrier *]; all ready; [phase misfortune] :: free0; declines0=3; E0=2
T197a act :: n=1; opt automaton_dice=per die; F0,A@cities 3 :: 0: resolve > at cities 3; *: die 3; *: die 2;
  [node decision] :: home F0; reserve0=2
T197b act :: n=1; opt automaton_dice=per die; F0,A@hills 6 :: 0: resolve > at hills 6; *: die 4; [0 lacks resolve]
  :: gold0=1
T198 act :: n=1; F0,A@cities 3 :: 0: resolve > at cities 3; *: die 3; *: die 2; [node decision]
  :: home F0 x0; reserve0=3
T199 draw :: opt divers=flooded tile; seat 0 navigator, L0@hills 5, fl hills=1 :: *: misfortune hills
  :: fl hills=2; L0@hills 5
T200 draw :: seat 0 aquanaut; L0,F1@hills 3; F1@hills 4 :: *: misfortune hills :: fl hills=1; home L0; home F1;
  L0@hills 3 x0; F1@hills 3 x0; F1@hills 4
T201 draw :: seat 0 navigator, L0@hills 5, bar hills :: *: misfortune hills :: bars -; fl hills=0; L0@hills 5
T202 deploy :: n=3; first=1; opt casting_vote=true; home F0, F1, F2 :: [1 mask seat 0, seat 1, seat 2]; 1: seat 2;
  2: place follower > at hills 1; 1: seat 0; 0: place follower; [0 lacks at hills 1]; 0: at centre;
  [1 mask seat 0, seat 1, seat 2] :: F2@hills 1; F0@centre
T203 act :: n=3; opt casting_vote=true; F1@centre, F2@centre :: 0: seat 2; [seat 2]; 2: pass; [seat 0];
  [0 mask pass]; 0: pass; [1 offers pass, resolve]; 1: resolve > at centre; [0 mask seat 0, seat 1, seat 2] :: E1=1
T204 deploy :: n=1; opt casting_vote=true; home F0 :: [0 mask place follower] ::
T205 act :: n=3; opt must_act=true; F1@centre :: 0: pass; 1: pass; 2: pass; [0 mask pass]; 0: pass;
  [1 mask resolve]; 1: resolve > at centre; [2 mask pass]; 2: pass; 0: pass; 1: pass; [round 2] :: E1=1
T206 act :: opt must_act=true; F0@gate 1, crystal0=2; F1@forges 1, ore1=0 :: [0 offers resolve]; [1 lacks resolve];
  all pass; [round 2] :: crystal0=2
T207 deploy :: n=1, built spirit seal; L0@hills 1; H0@hills 2; home F0, A :: 0: place follower;
  [0 offers at centre, at hills 3, at spirit seal]; 0: at spirit seal; [0 mask place automaton, lift leader,
  lift hologram, lift follower]; 0: place automaton; [0 mask at spirit seal]; 0: at spirit seal; [0 offers ready]
  :: F0@spirit seal; A0@spirit seal
T208 act :: built spirit seal; L0,V0@spirit seal :: [0 lacks resolve]; all pass; [round 2] :: E0=0
T209 act :: built spirit seal; L0,F0@spirit seal :: 0: resolve; [0 mask at spirit seal]; 0: at spirit seal; [E0=2];
  [0 lacks resolve]; [ready L0@spirit seal] :: E0=2
T210 act :: built spirit seal; seat 0 orator; L0@spirit seal :: [0 lacks resolve]; all pass; [round 2] :: home V0 x0
T211 act :: opt must_act=true; built spirit seal; L0@spirit seal :: [0 lacks resolve]; all pass; [round 2] ::
T212 act :: = :: 0: play archive recovery; 0: keep augury; [0 lacks play archive recovery]
  :: hand0 augury+archive recovery; libdiscard -; libdeck archive recovery x0
"""


# ---- reading


def rows() -> dict[str, tuple[str, ...]]:
    """The rows of the tables of section 23: id -> start, steps, expected."""
    lines = re.findall(r"^\| (T\d+)\*? \| (.*) \|$", TEXT, re.MULTILINE)
    return {name: tuple(cell.strip() for cell in re.split(r" \| ", rest)) for name, rest in lines}


def load() -> list[Scenario]:
    """All cases in the order of the rules file; each row has one or more, and each case a row."""
    printed = rows()
    cases = [_case(line, printed) for line in re.sub(r"\n  +", " ", CASES).splitlines() if line]
    named = list(dict.fromkeys(_row_of(case.id) for case in cases))
    if named != list(printed):
        raise ValueError(f"rows without a case, or cases without a row: {sorted({*named} ^ {*printed})}")
    return cases


def _row_of(name: str) -> str:
    """The row that a case belongs to: `T56` for `T56b`."""
    return name.rstrip("abcdefgh")


def _case(line: str, printed: dict[str, tuple[str, ...]]) -> Scenario:
    """One case from its joined line."""
    head, start, play, end = (part.strip() for part in re.split(r" ::(?= |$)", line))
    name, phase = head.split()
    row = printed[_row_of(name)]
    items = _start_items(row[0] if start == "=" else start)
    return Scenario(name, phase, items, tuple(_cut(play)), tuple(_cut(end)), row)


def _cut(text: str) -> Iterator[str]:
    """Items between semicolons, repetitions written out."""
    for item in (part.strip() for part in text.split(";")):
        repeated = re.fullmatch(r"([0-9*]: .*) x(\d+)", item)
        if repeated:
            yield from [repeated[1]] * int(repeated[2])
        elif item:
            yield item


def _start_items(text: str) -> tuple[str, ...]:
    """The items of a start cell, each complete in itself: lists after `home`, `hand0`, ... are taken apart."""
    items: list[str] = []
    held: list[str] = []  # pieces whose place follows: F0,F1@cities 2
    prefix = ""
    for part in (part.strip() for part in re.split(r"[;,]", re.sub(r"\(.*?\)", "", text))):
        word = re.match(r"(home|hand\d|art\d|bar|built|bottom|discarded|discard|others|fl all \d but) (.*)", part)
        if part.endswith(" there"):
            part = f"{part[:-6]}@there"
        part = re.sub(r"^(\w+) there( x\d+)$", r"\1@there\2", part)
        if word and word[1] != "others":
            prefix = f"{word[1]} "
        elif re.fullmatch(r"[LHFVA]\d?( x\d+)?", part):
            part = f"{prefix}{part}" if prefix == "home " else part
        elif prefix and re.sub(r" x\d+$| \d+$", "", part) in [*CARDS, *ARTIFACTS, *MISFORTUNES, *COMPONENTS]:
            part = prefix + part
        else:
            prefix = ""
        if re.fullmatch(r"[LHFVA]\d?", part):
            held.append(part)
        elif "@" in part:
            items += [f"{piece}{part[part.index('@') :]}" for piece in held] + [part]
            held = []
        elif part not in ("", "-"):
            items.append(part)
    if held:
        raise ValueError(f"nothing says where {held} stand: {text!r}")
    return tuple(items)


# ---- the start


@dataclass
class Setting:
    """What the items of a start say."""

    n: int = 4
    level: int = 1
    first: int = 0
    round: int = 1
    wrath: int = 0
    supply: int = 8
    options: dict[str, Any] = field(default_factory=dict)
    councilors: dict[int, str] = field(default_factory=dict)
    seats: dict[int, dict[str, Any]] = field(default_factory=dict)
    pieces: dict[tuple[str, int, str], int] = field(default_factory=dict)
    flooded: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PENINSULAS, 0))
    barriers: list[str] = field(default_factory=list)
    built: list[str] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)
    built_count: int = 0
    effects: dict[str, Any] = field(default_factory=lambda: {"earthquake": 0, "atlas": {}})
    library: dict[str, int] | None = None
    bottom: list[str] = field(default_factory=list)
    discard: list[str] = field(default_factory=list)
    misfortunes: dict[str, int] | None = None
    discarded: list[str] = field(default_factory=list)
    hologram: tuple[str, str] | None = None
    stack_empty: bool = False
    in_library: list[str] = field(default_factory=lambda: list(IN_LIBRARY))
    fails: bool = False

    def seat(self, number: str | int) -> dict[str, Any]:
        """What is said of one seat."""
        empty = {"home": {}, "hand": [], "artifacts": []}
        return self.seats.setdefault(int(number), empty)


def _counted(text: str) -> list[str]:
    """`augury x2` as two cards; `-` as none."""
    name, _, number = text.partition(" x")
    return [] if name == "-" else [name] * int(number or 1)


def _option(text: str) -> Any:
    """An option's value: a number, a truth value, a name, or a list joined with +."""
    if text in ("true", "false"):
        return text == "true"
    if "+" in text:
        return [part.strip() for part in text.split("+")]
    return int(text) if text.isdigit() else text


def _read_piece(s: Setting, letter: str, seat: str, at: str, number: str) -> None:
    """A piece on the board; `there` is the component built last."""
    key = (s.built[-1] if at == "there" else at, int(seat or 0), LETTERS[letter])
    s.pieces[key] = s.pieces.get(key, 0) + int(number or 1)
    if letter == "V":
        s.supply = min(s.supply, 7)


def _read_home(s: Setting, letter: str, seat: str, number: str) -> None:
    """A piece at home."""
    s.seat(seat or 0)["home"][LETTERS[letter]] = int(number or 1)
    if letter == "V":
        s.supply = min(s.supply, 8 - int(number or 1))


def _read_leaders(s: Setting, which: str, at: str) -> None:
    """`all L on gate 1`, `L0-L2 on gate 1`."""
    for seat in range(s.n if which == "all L" else int(which[-1]) + 1):
        s.pieces[at, seat, "leader"] = 1


def _read_holding(s: Setting, names: str, number: str) -> None:
    """`gold0=gold1=1`: the same number of each."""
    for name in names.rstrip("=").split("="):
        s.seat(name[-1])[{"E": "energy"}.get(name[:-1], name[:-1])] = int(number)


def _read_floods(s: Setting, number: str, exceptions: str) -> None:
    """`all 2 but hills 1`, a comma more and it is `fl all 2 but cities 1` again; `others 6`."""
    name, _, other = exceptions.rpartition(" ")
    for peninsula in PENINSULAS:
        if s.flooded[peninsula] == 0:
            s.flooded[peninsula] = int(number)
    if name:
        s.flooded[name] = int(other)


def _read_library(s: Setting, text: str) -> None:
    """The unknown part of the library deck."""
    s.library = dict.fromkeys(_counted(text), 1)


START: list[tuple[str, Callable[..., object]]] = [
    (r"n=(\d)", lambda s, n: setattr(s, "n", int(n))),
    (r"level (\d)", lambda s, n: setattr(s, "level", int(n))),
    (r"first=(\d)", lambda s, n: setattr(s, "first", int(n))),
    (r"round (\d+)", lambda s, n: setattr(s, "round", int(n))),
    (r"(?:Wrath )?index (\d) *", lambda s, n: setattr(s, "wrath", int(n))),
    (r"supply (\d)", lambda s, n: setattr(s, "supply", int(n))),
    (r"opt (\w+)=(.*)", lambda s, name, value: s.options.update({name: _option(value)})),
    (r"error", lambda s: setattr(s, "fails", True)),
    (r"seat (\d) barred", lambda s, seat: s.seat(seat).update(barred=True)),
    (r"seat (\d) (\w+)", lambda s, seat, name: s.councilors.update({int(seat): name})),
    (r"scholar(\d) (.*)", lambda s, seat, name: s.seat(seat).update(scholar_artifact=name)),
    (r"([LHFVA])(\d?)@(.*?)(?: x(\d+))?", _read_piece),
    (r"home ([LHFVA])(\d?)(?: x(\d+))?", _read_home),
    (r"(all L|L0-L\d) on (.*)", _read_leaders),
    (r"reserves (\d)", lambda s, k: [s.seat(seat).update(reserve=int(k)) for seat in range(s.n)]),
    (r"((?:(?:ore|gold|crystal|atlantium|E|reserve|lifts|yields)\d=)+)(\d)", _read_holding),
    (r"fl (\w+)=(\d)", lambda s, p, k: s.flooded.update({p: int(k)})),
    (r"fl all (\d) but (.*)", _read_floods),
    (r"others (\d)()", _read_floods),
    (r"all 36 flooded", lambda s: s.flooded.update(dict.fromkeys(PENINSULAS, 6))),
    (r"bar (.*)", lambda s, p: s.barriers.append(p)),
    (r"hand(\d) (.*)", lambda s, seat, text: s.seat(seat)["hand"].extend(_counted(text))),
    (r"art(\d) (.*)", lambda s, seat, name: s.seat(seat)["artifacts"].append(name)),
    (r"plan (.*)", lambda s, name: s.plan.append(name)),
    (r"([89]) built", lambda s, k: setattr(s, "built_count", int(k))),
    (r"built (.*)", lambda s, name: s.built.append(name)),
    (r"earthquake (\d) *", lambda s, k: s.effects.update(earthquake=int(k))),
    (r"atlas (\w+) (\d)", lambda s, p, k: s.effects["atlas"].update({p: int(k)})),
    (r"library deck (.*)", _read_library),
    (r"bottom (.*)", lambda s, name: s.bottom.append(name)),
    (r"discard (.*)", lambda s, text: s.discard.extend(_counted(text))),
    (r"misfortune deck -", lambda s: setattr(s, "misfortunes", {})),
    (r"discarded (.*)", lambda s, text: s.discarded.extend(_counted(text))),
    (r"hologram (\w+)/(.*)", lambda s, name, artifact: setattr(s, "hologram", (name, artifact))),
    (r"stack -", lambda s: setattr(s, "stack_empty", True)),
    (r"in library (.*)", lambda s, text: setattr(s, "in_library", text.split("+"))),
]


def _setting(items: Iterable[str]) -> Setting:
    """All items of a start, read."""
    setting = Setting()
    for item in items:
        for pattern, read in START:
            match = re.fullmatch(pattern, item)
            if match:
                read(setting, *match.groups())
                break
        else:
            raise ValueError(f"item {item!r} of a start is not known")
    return setting


def root_options(items: Iterable[str]) -> dict[str, Any]:
    """The options of a start that stands before setup."""
    setting = _setting(items)
    return {"players": setting.n, "level": setting.level, **setting.options}


def start_position(phase: str, items: Iterable[str]) -> dict[str, Any]:
    """A start in the middle of a game as the JSON of section 20."""
    s = _setting(items)
    boards = _boards(s)
    s.level, nine = _plan(s)
    for item in [*s.built, *nine[: s.built_count]]:
        if item not in s.built:
            s.built.append(item)
    artifacts = _artifacts(s)
    return {
        "game": "atlantis_rising",
        "players": s.n,
        "level": s.level,
        "options": _options(s, boards, nine),
        "phase": {"deploy": "deploy", "draw": "misfortune", "act": "actions"}[phase],
        "round": s.round,
        "first": s.first,
        "turn": s.first,
        "passes": 0,
        "flooded": s.flooded,
        "barriers": sorted(s.barriers, key=PENINSULAS.index),
        "wrath": s.wrath,
        "track_energy_taken": min(s.round, 6) if s.n == 1 else 0,
        "blueprint": [name for name in [*nine, "power core"] if name not in s.built],
        "built": s.built,
        "built_this_round": 0,
        "seats": [_seat(s, seat, boards[seat]) for seat in range(s.n)],
        "placed": _placed(s),
        "volunteers": s.supply,
        "library": _library(s, artifacts),
        "unused_artifacts": [a for a in ARTIFACTS if a not in artifacts and a not in _scholars(s)],
        "misfortunes": _misfortunes(s),
        **_councilors(s, boards),
        "effects": {
            "earthquake": s.effects["earthquake"],
            "atlas": {p: s.effects["atlas"].get(p, 0) for p in PENINSULAS[:3]},
            "closed": [],
            "build_limit": None,
            "extra_floods": 0,
        },
        "draws": _draws(s) if phase == "draw" else [],
        "window": False,
        **({"call": phase != "draw" and s.n > 1} if s.options.get("casting_vote") else {}),
        "held": None,
        "floods": 0,
        "pending": [],
        "result": None,
    }


def _boards(s: Setting) -> list[str]:
    """The councilors of the seats: those named, the others out of the way."""
    taken = [*s.councilors.values(), s.hologram[0] if s.hologram else ""]
    free = iter([name for name in HARMLESS if name not in taken])
    return [s.councilors.get(seat) or next(free) for seat in range(s.n)]


def _plan(s: Setting) -> tuple[int, list[str]]:
    """The lowest level, and nine components of it, with all those that the case speaks of."""
    needed = [*s.built, *s.plan]
    for level in DATA["levels"]:
        nine: list[str] = list(level["fixed"] or [])
        for letter, number in level["components"].items() if not nine else []:
            mine = [name for name, item in COMPONENTS.items() if item["letter"] == letter]
            nine += sorted(mine, key=lambda name: name not in needed)[:number]
        if set(needed) <= set(nine) and level["level"] >= s.level:
            return level["level"], [name for name in COMPONENTS if name in nine]
    raise ValueError(f"no level has all of {needed}")


def _options(s: Setting, boards: list[str], nine: list[str]) -> dict[str, Any]:
    """The options of the game in which this could be; those at their default are left out."""
    opened = (s.first - (s.round - 1)) % s.n
    options: dict[str, Any] = {"councilors": boards, **s.options}
    options |= {"first_player": opened} if opened else {}
    return options | ({"blueprint": nine} if s.level > 1 else {})


def _seat(s: Setting, number: int, councilor: str) -> dict[str, Any]:
    """One seat with what is said of it."""
    said = s.seat(number)
    shape = DATA["players"][s.n - 1]
    own = said["home"].get("follower", 0)
    own += sum(count for (_, seat, kind), count in s.pieces.items() if (seat, kind) == (number, "follower"))
    reserve = min(shape["reserve"], max(0, shape["followers"] + shape["reserve"] - own))
    return {
        "councilor": councilor,
        **{good: said.get(good, 0) for good in [*GOODS, "energy"]},
        "hand": _heap(said["hand"]),
        "artifacts": said["artifacts"],
        "scholar_artifact": said.get("scholar_artifact"),
        "home": {kind: said["home"].get(kind, 0) for kind in KINDS},
        "spent_volunteers": 0,
        "reserve": said.get("reserve", reserve),
        "removed": 0,
        "lifts": said.get("lifts", 3),
        "yields": said.get("yields", 2),
        "declines": s.options.get("decline_budget", 3),
        "barred": said.get("barred", False),
        "used": [],
    }


def _heap(names: Iterable[str]) -> dict[str, int]:
    """A list as a multiset."""
    names = list(names)
    return {name: names.count(name) for name in [*CARDS, *ARTIFACTS, *MISFORTUNES] if name in names}


def _placed(s: Setting) -> list[dict[str, Any]]:
    """The pieces on the board in canonical order, all ready."""
    order = sorted(s.pieces, key=lambda key: (LOCATIONS.index(key[0]), key[1], KINDS.index(key[2])))
    keys = ("at", "seat", "kind")
    return [dict(zip(keys, key, strict=True)) | {"ready": s.pieces[key], "done": 0} for key in order]


def _scholars(s: Setting) -> list[str]:
    """Artifacts that a scholar has."""
    return [seat["scholar_artifact"] for seat in s.seats.values() if seat.get("scholar_artifact")] + (
        [s.hologram[1]] if s.hologram else []
    )


def _artifacts(s: Setting) -> list[str]:
    """The four artifacts of the library: those that the case speaks of, and others."""
    named = [name for seat in s.seats.values() for name in seat["artifacts"]]
    named += [name for name in [*(s.library or []), *s.bottom, *s.discard] if name in ARTIFACTS]
    others = [name for name in [*s.in_library, *ARTIFACTS] if name not in [*named, *_scholars(s)]]
    return (named + list(dict.fromkeys(others)))[:4]


def _library(s: Setting, artifacts: list[str]) -> dict[str, Any]:
    """The library; where its deck is given, what the case leaves over lies in the discard."""
    elsewhere = [card for seat in s.seats.values() for card in [*seat["hand"], *seat["artifacts"]]]
    left = [*CARDS, *CARDS, *artifacts]
    for card in [*elsewhere, *s.bottom, *s.discard, *(s.library or [])]:
        left.remove(card)
    if s.library is None:
        return {"deck": _heap(left), "bottom": s.bottom, "discard": _heap(s.discard)}
    return {"deck": s.library, "bottom": s.bottom, "discard": _heap([*s.discard, *left])}


def _misfortunes(s: Setting) -> dict[str, Any]:
    """The misfortune cards of the level."""
    level = DATA["levels"][s.level - 1]
    copies = {card["id"]: card["copies"] for card in DATA["misfortunes"]}
    copies |= {"calm seas": level["calm_seas"], "controlled flooding": level["controlled_flooding"]}
    rest = {name: number - s.discarded.count(name) for name, number in copies.items()}
    rest = {name: number for name, number in rest.items() if number}
    if s.misfortunes is None:
        return {"deck": rest, "top": [], "discard": _heap(s.discarded)}
    return {"deck": {}, "top": [], "discard": {name: number for name, number in copies.items() if number}}


def _councilors(s: Setting, boards: list[str]) -> dict[str, Any]:
    """The stack of boards and the hologram, with one or two seats."""
    if s.n > 2:
        return {"councilors": None, "hologram": None}
    free = [name for name in HARMLESS if name not in boards]
    name, artifact = s.hologram or (free[0], None)
    free.remove(name)
    rest = sorted(free, key=COUNCILORS.index)
    piles = {"stack": [], "discard": rest} if s.stack_empty else {"stack": rest, "discard": []}
    return {"councilors": piles, "hologram": {"councilor": name, "artifact": artifact}}


def _draws(s: Setting) -> list[int]:
    """The drawing seats of a round (2.2)."""
    if s.n <= 2:
        return [s.first, s.first, (s.first + 1) % s.n, (s.first + 1) % s.n]
    return [(s.first + k) % s.n for k in range(max(s.n, 4))]


# ---- play


def run(
    scenario: Scenario,
    from_json: Callable[[dict[str, Any]], Position],
    initial: Callable[[dict[str, Any]], Position],
) -> None:
    """Play a scenario on an engine; AssertionError says in which scenario, where, and what differed."""
    if "error" in scenario.start:
        _check_refused(scenario, initial)
        return
    if scenario.phase == "root":
        position = initial(root_options(scenario.start))
    else:
        position = from_json(start_position(scenario.phase, scenario.start))
    for number, item in enumerate(scenario.play, start=1):
        where = f"{scenario.id}, item {number} of play, {item!r}"
        if item.startswith("["):
            _check_bracket(where, position, item[1:-1])
        else:
            _do(where, position, item)
    for item in scenario.end:
        _check_fact(f"{scenario.id}, end", position, item)


def _check_refused(scenario: Scenario, initial: Callable[[dict[str, Any]], Position]) -> None:
    """The game is not set up (clause 3e)."""
    try:
        initial(root_options(scenario.start))
    except ValueError:
        return
    raise AssertionError(f"{scenario.id}: the options are not refused")


def _same(where: str, what: str, expected: object, actual: object, more: str = "") -> None:
    """Fail with a message that can be read without a debugger."""
    if expected != actual:
        raise AssertionError(f"{where}: {what} should be {expected}, is {actual}{more}")


def _offered(position: Position) -> list[str]:
    """Everything that may happen now."""
    return [*position.legal_actions(), *position.chance_outcomes()]


def _apply(where: str, position: Position, text: str) -> None:
    """One action or event, which must be on offer."""
    offered = _offered(position)
    _same(where, f"{text!r} offered", True, text in offered, f"; offered are {offered}")
    position.apply(text)


def _do(where: str, position: Position, item: str) -> None:
    """One item of play that moves the game."""
    who, colon, rest = item.partition(": ")
    if colon:
        _wait_for(position, None if who == "*" else int(who))
        for text in rest.split(" > "):
            _same(where, "seat", None if who == "*" else int(who), position.seat)
            _apply(where, position, text)
    elif item.startswith("auto "):
        _auto(where, position, item[5:])
    else:
        HELPERS[item](where, position)


def _wait_for(position: Position, seat: int | None) -> None:
    """The seats before the one that is to act pass, are ready, or yield."""
    for _ in range(len(position.to_json()["seats"])):
        idle = [text for text in ("pass", "ready", "yield") if text in position.legal_actions()]
        if position.seat == seat or not idle:
            return
        position.apply(idle[0])


def _auto(where: str, position: Position, word: str) -> None:
    """The first thing offered, until something on offer begins with the word."""
    for _ in range(200):
        offered = _offered(position)
        if any(text.startswith(word) for text in offered):
            return
        _same(where, "something offered", True, bool(offered))
        position.apply(offered[0])
    raise AssertionError(f"{where}: never comes")


def _next(where: str, position: Position) -> None:
    """The first thing offered."""
    _apply(where, position, _offered(position)[0])


def _all_idle(word: str) -> Callable[[str, Position], None]:
    """Everybody says the word until the phase is over or something else is asked."""

    def say(where: str, position: Position) -> None:
        _same(where, f"{word!r} offered", True, word in position.legal_actions())
        phase = position.to_json()["phase"]
        while word in position.legal_actions() and position.to_json()["phase"] == phase:
            position.apply(word)

    return say


def _deploy_centre(where: str, position: Position) -> None:
    """Everything is placed at the centre."""
    while position.to_json()["phase"] == "deploy":
        offered = position.legal_actions()
        placing = [text for text in offered if text.startswith("place ")]
        if placing:
            position.apply(placing[0])
            _apply(where, position, "at centre")
        else:
            _apply(where, position, "ready")


def _idle(where: str, position: Position) -> None:
    """The rest of the round without any effort."""
    this_round = position.to_json()["round"]
    _deploy_centre(where, position)
    while position.to_json()["round"] == this_round:
        offered = _offered(position)
        mild = [text for text in ("pass", "ready", "misfortune calm seas") if text in offered]
        position.apply((mild or offered)[0])


HELPERS: dict[str, Callable[[str, Position], None]] = {
    "all pass": _all_idle("pass"),
    "all ready": _all_idle("ready"),
    "deploy centre": _deploy_centre,
    "idle": _idle,
    "next": _next,
}


# ---- checks


def _listed(text: str) -> list[str]:
    """Texts between commas; `drain *` is all six."""
    listed: list[str] = []
    for item in (part.strip() for part in text.split(",")):
        listed += [item[:-1] + p for p in PENINSULAS] if item.endswith(" *") else [item]
    return listed


def _check_bracket(where: str, position: Position, check: str) -> None:
    """One check between two moves."""
    mask = re.fullmatch(r"(?:(\d) )?(mask|offers|lacks) (.*)", check)
    if mask:
        if mask[1] is not None:
            _wait_for(position, int(mask[1]))
            _same(where, "seat", int(mask[1]), position.seat)
        _check_mask(where, position.legal_actions(), mask[2], _listed(mask[3]))
    elif check.startswith("seat "):
        _same(where, "seat", int(check[5:]), position.seat)
    elif check.startswith("node "):
        _same(where, "node", check[5:], position.node)
    elif check.startswith("outcomes "):
        _same(where, "number of outcomes", int(check[9:]), len(position.chance_outcomes()))
    elif check.startswith("chance never "):
        hits = [text for text in position.chance_outcomes() if text.startswith(check[13:])]
        _same(where, "chance node without it", (True, []), (position.node == "chance", hits))
    elif check.startswith("chance "):
        pairs = [re.fullmatch(r"(\D+?)(?: (\d+))?", item) for item in _listed(check[7:])]
        expected = {pair[1]: int(pair[2] or 1) for pair in pairs if pair}
        _same(where, "chance", expected, dict(position.chance_outcomes()))
    else:
        _check_fact(where, position, check)


def _check_mask(where: str, legal: list[str], word: str, listed: list[str]) -> None:
    """What is offered: exactly this, at least this, or none of this."""
    if word == "mask":
        _same(where, "mask", listed, legal)
    elif word == "offers":
        _same(where, "missing from the mask", [], [text for text in listed if text not in legal], f"; it is {legal}")
    else:
        _same(where, "wrongly in the mask", [], [text for text in listed if text in legal], f"; it is {legal}")


Data = dict[str, Any]


def _plus(names: Iterable[str]) -> str:
    """Names joined as an end writes them."""
    return "+".join(names) or "-"


def _spread(heap: dict[str, int], order: list[str]) -> str:
    """A multiset as an end writes it."""
    return _plus(name for name in order for _ in range(heap.get(name, 0)))


def _holding(data: Data, name: str) -> int:
    """`E0`, `gold1`, `reserve0`, `spent0`."""
    key = {"E": "energy", "spent": "spent_volunteers"}.get(name[:-1], name[:-1])
    return int(data["seats"][int(name[-1])][key])


def _at_home(data: Data, letter: str, seat: str) -> int:
    """Pieces of a kind at home."""
    return int(data["seats"][int(seat or 0)]["home"][LETTERS[letter]])


def _on_board(data: Data, state: str, letter: str, seat: str, at: str) -> int:
    """Pieces of a kind on the board, in a state or in any."""
    states = [state.strip()] if state else ["ready", "done"]
    wanted = (at, int(seat or 0), LETTERS[letter])
    found = [entry for entry in data["placed"] if (entry["at"], entry["seat"], entry["kind"]) == wanted]
    return sum(int(entry[key]) for entry in found for key in states)


def _floods(data: Data, where: str) -> Any:
    """Flooded tiles of one peninsula; of all, if they are the same everywhere."""
    counts = data["flooded"]
    if where != "all":
        return counts[where]
    return counts["hills"] if len(set(counts.values())) == 1 else counts


def _end(data: Data) -> str:
    """Say how the game ended."""
    if data["result"] is None:
        return "running"
    return f"{'win' if data['result']['win'] else 'loss'} {data['result']['reason']}"


def _stack(data: Data) -> str:
    """Boards in the stack, counted."""
    return str(len(data["councilors"]["stack"])) if data["councilors"] else "none"


ALL_CARDS = [*CARDS, *ARTIFACTS]
# pattern of what is asked, reader, how the expectation is written; the reader gets the JSON and the groups but the last
FACTS: list[tuple[str, Callable[..., Any], Callable[[str], Any]]] = [
    (r"(E\d|[a-z]+\d)=(\d+)", _holding, int),
    (r"home ([LHFVA])(\d?)(?: x(\d+))?", _at_home, int),
    (r"(ready |done )?([LHFVA])(\d?)@(.*?)(?: x(\d+))?", _on_board, int),
    (r"fl (\w+)=(\d)", _floods, int),
    (r"bars (.*)", lambda data: _plus(data["barriers"]), str),
    (r"hand(\d) (.*)", lambda data, seat: _spread(data["seats"][int(seat)]["hand"], CARDS), str),
    (r"art(\d) (.*)", lambda data, seat: _plus(data["seats"][int(seat)]["artifacts"]), str),
    (r"scholar(\d) (.*)", lambda data, seat: data["seats"][int(seat)]["scholar_artifact"] or "-", str),
    (r"free(\d)()", lambda data, seat: data["seats"][int(seat)]["barred"], lambda _: False),
    (r"barred(\d)()", lambda data, seat: data["seats"][int(seat)]["barred"], lambda _: True),
    (r"built (.*)()", lambda data, name: (name in data["built"], name in data["blueprint"]), lambda _: (True, False)),
    (r"unbuilt (.*)()", lambda data, name: (name in data["built"], name in data["blueprint"]), lambda _: (False, True)),
    (r"supply (\d)", lambda data: data["volunteers"], int),
    (r"index (\d)", lambda data: data["wrath"], int),
    (r"round (\d+)", lambda data: data["round"], int),
    (r"first (\d)", lambda data: data["first"], int),
    (r"phase (\w+)", lambda data: data["phase"], str),
    (r"taken (\d)", lambda data: data["track_energy_taken"], int),
    (r"blueprint (\d+)", lambda data: len(data["blueprint"]), int),
    (r"unused (\d+)", lambda data: len(data["unused_artifacts"]), int),
    (r"stack (\w+)", _stack, str),
    (r"boards (.*)", lambda data: _plus(data["councilors"]["discard"]), str),
    (r"hologram (.*)", lambda data: "{councilor}/{artifact}".format(**data["hologram"]), str),
    (r"misfortunes (\d+)", lambda data: sum(data["misfortunes"]["deck"].values()), int),
    (r"library (\d+)", lambda data: sum(data["library"]["deck"].values()), int),
    (r"top (.*)", lambda data: _plus(data["misfortunes"]["top"]), str),
    (r"misdiscard (.*)", lambda data: _spread(data["misfortunes"]["discard"], MISFORTUNES), str),
    (r"bottom (.*)", lambda data: _plus(data["library"]["bottom"]), str),
    (r"libdiscard (.*)", lambda data: _spread(data["library"]["discard"], ALL_CARDS), str),
    (r"libdeck (.*?)(?: x(\d+))?", lambda data, name: data["library"]["deck"].get(name, 0), int),
    (r"draws (.*)", lambda data: _plus(map(str, data["draws"])), str),
    (r"closed (.*)", lambda data: _plus(data["effects"]["closed"]), str),
    (r"(win .*|loss .*|running)", _end, str),
]


def _check_fact(where: str, position: Position, item: str) -> None:
    """One item of an end."""
    if item.startswith("returns "):
        _same(where, item, {float(item[8:])}, set(position.returns()))
        return
    if item == "truncated":
        _same(where, item, True, position.truncated)
        return
    data = position.to_json()
    *names, number = item.split("=")
    if len(names) > 1:
        for name in names:
            _check_fact(where, position, f"{name}={number}")
        return
    for pattern, read, expect in FACTS:
        match = re.fullmatch(pattern, item)
        if match:
            *asked, expected = match.groups()
            actual = read(data, *asked)
            _same(where, item, expect(expected) if expected is not None else 1, actual)
            _same(where, "node is over", data["result"] is not None, position.node == "over")
            return
    raise ValueError(f"{where}: item {item!r} of an end is not known")
