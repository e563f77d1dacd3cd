# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What is said: the keywords, other words, made-up words and sentences, split into three parts.

Other words are split by their place in the lists: of ten, seven are for training, one for
validation and two for the test. Sentences are made from the words of their part.
"""

from __future__ import annotations

import numpy as np

KEYWORDS = ("yes", "no", "up", "down", "left", "right", "stop", "go")
LABELS = (*KEYWORDS, "silence", "unknown")
SILENCE = LABELS.index("silence")
UNKNOWN = LABELS.index("unknown")

PARTS = ("train", "validate", "test")

SIMILAR = """
yet now lift rice step goat yellow note loft ride stock gold chess nose light spot ghost
guess known town laugh bright shop coat yesterday snow done theft stuff low jest none gown
lest fright top goal less knock drown deft ripe stomp grow desk nod dawn leaf rhyme start good dress
nope cup letter rye strap glow press load pup lofty kite stab goose blessed moan sup leapt height
chop gone best mole upper draft riot dot code vest knob supper weft rise stoop gauze nest nobody
soft shot cargo request north puppet noun going essay notion
"""
"""Words that sound like a keyword or contain one."""

NOUNS = """
river teacher window garden mountain doctor music kitchen animal bridge winter morning engine
paper farmer market ocean picture village dinner father mother sister brother flower city camera
forest island pencil table chair bottle blanket button candle carpet castle cheese chicken church
circle coffee corner cotton country cousin curtain danger daughter desert dragon driver eagle
evening factory feather festival finger fire fish floor football friend fruit future gallery
garage giant glass guitar hammer harbour hat history holiday honey horse hospital hotel house
insect jacket journey judge juice jungle key king knife ladder lake lamp language lawyer leather
lemon lesson library machine magazine manager map medicine member memory message metal milk minute
mirror money monkey moon mouse museum nation needle neighbour newspaper number nurse object office
onion orange orchestra oven owner package palace parent park party passenger pepper person piano
pillow pilot planet plate pocket poem police potato president prison problem queen question rabbit
radio rain recipe restaurant ring road robot roof room rope rose sailor salad salt sandwich school
science secret shadow sheep ship shirt shoulder silver singer snake soldier song soup spider spoon
spring square stadium star station stone storm story street student sugar summer sun surprise
sweater teapot temple theatre thunder ticket tiger tomato tooth tower train tree truck uncle valley
vegetable violin visitor voice wagon wallet water weather wedding wheel whistle wind wine wolf
wood worker world writer year zebra
"""

VERBS = """
opened carried painted followed watched cleaned answered borrowed broke bought called caught changed
chased checked chose climbed closed cooked counted covered crossed cut described designed destroyed
discovered drew dropped enjoyed examined explained fed filled finished fixed found forgot gathered
guarded heard helped hid hired hit ignored imagined improved invited joined kept kicked learned
liked loved made measured missed mixed moved needed noticed offered ordered packed paid photographed
picked planned pointed polished pulled pushed put reached remembered repaired replaced rescued
saved saw searched shared showed sold studied threw touched trusted visited wanted warned washed
welcomed won wore
"""

ADJECTIVES = """
small happy green heavy quiet angry blue brave broken busy careful cheap clever cold dark deep
dirty dry early empty famous fast fat foreign fresh friendly funny gentle great grey hard hungry
important kind large late lazy long loud lucky modern narrow new nice noisy old pale patient plain
polite poor pretty proud purple quick rare red rich rough round sad serious shallow sharp short shy
silent simple slow smooth special strange strong sweet tall thick thin tired ugly useful warm weak
white wide wild wonderful wooden wrong young
"""

OPENERS = (
    """
yesterday|in the evening|after lunch|every summer|before the meeting|once again|for many years
last week|without a word|as usual|by the end of the month|perhaps|in fact|on monday|at six
sometimes|a moment later|thanks to the rain|between two and three|sooner than expected
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

TEMPLATES = (
    "the {a} {n} {v} the {n}",
    "{o} my {n} {v} a {a} {n} near the {n}",
    "{o} we {v} every {n} with the {a} {n}",
    "she {v} her {n} because the {n} was {a}",
    "who {v} the {a} {n} in the {n}",
    "{o} it was a {a} and {a} {n}",
    "they {v} some {n} for the {n} of the {n}",
    "I think that this {n} is more {a} than the {n}",
    "can you see the {a} {n} behind that {n}",
    "there are seven {a} things in the {n} and one in the {n}",
    "he {v} it while the {n} and the {n} {v} each other",
    "please bring the {n} to the {a} {n}",
    "{n}, {n} and {n} are all {a}",
    "what a {a} {n}",
    "if the {n} is {a}, then the {n} should be {a} too",
    "nothing about the {n} {v} us as much as its {a} {n}",
)

ONSETS = (
    "b bl br ch d dr f fl fr g gl gr h j k kl kr l m n p pl pr r s sh sk sl sm sn sp st str t th"
)
VOWELS = "a e i o u ai ee oa oo ou ar or er ay ow"
CODAS = " b ck d f ft g k l lt m mp n nd nk nt p pt r s sh sk st t ts x"


def part_of(words: str, part: str) -> list[str]:
    """Return the words of ``part``: of each ten, seven to train, one to validate, two to test."""
    places = {"train": range(7), "validate": (7,), "test": (8, 9)}[part]
    return [word for number, word in enumerate(words.split()) if number % 10 in places]


def other_words(part: str) -> list[str]:
    """Return the words of ``part`` that are no keywords."""
    return [word for pool in (SIMILAR, NOUNS, VERBS, ADJECTIVES) for word in part_of(pool, part)]


def similar_words(part: str) -> list[str]:
    """Return the words of ``part`` that sound like a keyword."""
    return part_of(SIMILAR, part)


def sentence(part: str, rng: np.random.Generator) -> str:
    """Return a sentence without keywords, its nouns, verbs and adjectives from ``part``."""
    pools = {"n": NOUNS, "v": VERBS, "a": ADJECTIVES}
    words = str(rng.choice(TEMPLATES))
    while "{" in words:
        place = words.index("{")
        kind = words[place + 1]
        pool = OPENERS if kind == "o" else part_of(pools[kind], part)
        words = words[:place] + str(rng.choice(pool)) + words[place + 3 :]
    return words


def made_up_word(rng: np.random.Generator) -> str:
    """Return one or two random syllables; some of them are keywords by sound (see synth.py)."""
    return "".join(
        str(rng.choice(ONSETS.split(" ")))
        + str(rng.choice(VOWELS.split(" ")))
        + str(rng.choice(CODAS.split(" ")))
        for _ in range(int(rng.integers(1, 3)))
    )
