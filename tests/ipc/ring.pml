/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The ring between two cores, for spin: core/src/ipc/ring.c with indices of a few values, which wrap
 * all the time. A message is two words, whose stores and loads are steps of their own.
 *
 * Memory is weak: what a side stores waits in a buffer of its own and becomes visible in any order,
 * but for two stores to the same word, and for a store with release order, which waits for all
 * before it. Loads with acquire order are made in the order of the program; the others would be
 * those of LOADS_EARLY. model-check.sh runs it for several sizes, and with each of the macros that
 * break it, which must be found.
 */

#ifndef ENTRIES
#define ENTRIES 2
#endif
#define INDICES 8  /* values of an index: a power of two, as 2^32 is */
#define NUMBERS 16 /* messages have numbers modulo this, more than can be under way */
#define PENDING 5  /* stores that a side has under way */

#define PLACE(index) ((index) % ENTRIES)
#define LESS(a, b)   (((a) + INDICES - (b)) % INDICES)

/* Words: of messages first, then the indices. */
#define WORD(index, half) (2 * PLACE(index) + (half))
#define PRODUCER          (2 * ENTRIES)
#define CONSUMER          (2 * ENTRIES + 1)

byte memory[2 * ENTRIES + 2];

/* Stores that nobody sees yet, oldest first. */
typedef buffer {
	byte count;
	byte word[PENDING];
	byte value[PENDING];
	bool release[PENDING];
};
buffer stores[2]; /* of the producer, of the consumer */

inline store(side, at, what, ordered) {
	atomic {
		stores[side].count < PENDING ->
		stores[side].word[stores[side].count] = at;
		stores[side].value[stores[side].count] = what;
		stores[side].release[stores[side].count] = ordered;
		stores[side].count++
	}
}

/* A side's stores become visible. */
proctype drain(byte side) {
	byte chosen, i;
	bool allowed;

	do
	:: atomic {
		stores[side].count > 0 ->
		chosen = 0;
		do
		:: chosen + 1 < stores[side].count -> chosen++
		:: break
		od;
		allowed = !(stores[side].release[chosen] && chosen > 0);
		i = 0;
		do
		:: i < chosen ->
			allowed = allowed && stores[side].word[i] != stores[side].word[chosen];
			i++
		:: else -> break
		od;
		if
		:: allowed ->
			memory[stores[side].word[chosen]] = stores[side].value[chosen];
			i = chosen;
			do
			:: i + 1 < stores[side].count ->
				stores[side].word[i] = stores[side].word[i + 1];
				stores[side].value[i] = stores[side].value[i + 1];
				stores[side].release[i] = stores[side].release[i + 1];
				i++
			:: else -> break
			od;
			stores[side].count--;
			stores[side].word[stores[side].count] = 0;
			stores[side].value[stores[side].count] = 0;
			stores[side].release[stores[side].count] = false
		:: else
		fi;
		chosen = 0;
		i = 0;
		allowed = false
	}
	od
}

#ifdef OVERFILLS
#define ROOM (ENTRIES + 1)
#else
#define ROOM ENTRIES
#endif

#ifdef RELAXED_PUSH
#define PUSH_RELEASE false
#else
#define PUSH_RELEASE true
#endif

proctype producer(byte start) {
	byte position = start, limit = start, number, index;

	do
	:: position == limit ->
		index = memory[CONSUMER];
		/* Never an impossible index, while both sides are sound. */
		assert(LESS(position, index) <= ENTRIES);
		limit = (index + ROOM) % INDICES;
		index = 0
	:: position != limit ->
#ifdef INDEX_FIRST
		store(0, PRODUCER, (position + 1) % INDICES, PUSH_RELEASE);
		store(0, WORD(position, 0), number, false);
		store(0, WORD(position, 1), number, false);
#else
		store(0, WORD(position, 0), number, false);
		store(0, WORD(position, 1), number, false);
		store(0, PRODUCER, (position + 1) % INDICES, PUSH_RELEASE);
#endif
		position = (position + 1) % INDICES;
		number = (number + 1) % NUMBERS
	od
}

proctype consumer(byte start) {
	byte position = start, number, index, first, second;

	do
	::
#ifdef LOADS_EARLY
		first = memory[WORD(position, 0)];
		second = memory[WORD(position, 1)];
		index = memory[PRODUCER];
#else
		index = memory[PRODUCER];
#endif
		assert(LESS(index, position) <= ENTRIES);
		if
		:: index == position -> skip
		:: else ->
#ifdef RELEASES_EARLY
			store(1, CONSUMER, (position + 1) % INDICES, true);
#endif
#ifndef LOADS_EARLY
			first = memory[WORD(position, 0)];
			second = memory[WORD(position, 1)];
#endif
			/* The next one, and whole. */
			assert(first == number && second == number);
#ifndef RELEASES_EARLY
			store(1, CONSUMER, (position + 1) % INDICES, true);
#endif
progress:
			position = (position + 1) % INDICES;
			number = (number + 1) % NUMBERS
		fi;
		index = 0;
		first = 0;
		second = 0
	od
}

init {
	byte start;

	atomic {
		select(start : 0 .. INDICES - 1);
		memory[PRODUCER] = start;
		memory[CONSUMER] = start;
		run producer(start);
		run consumer(start);
		run drain(0);
		run drain(1)
	}
}
