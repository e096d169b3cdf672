using System.Collections;
using System.Collections.Generic;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Index;

/// <summary>Checks the invariants of an index. The caller has exclusive access.</summary>
internal readonly unsafe struct IndexCheck(TableIndex index)
{
    /// <summary>Checks every bucket, every slot and every overflow line.</summary>
    /// <returns>The number of occupied slots.</returns>
    /// <exception cref="System.InvalidOperationException">An invariant does not hold; the message says which.</exception>
    internal long Run()
    {
        var reached = new BitArray((int)index.Overflow.End);
        var addresses = new HashSet<ulong>();
        for (ulong number = 0; number < index.BucketCount; number++)
        {
            CheckState(number);
            CheckSlots(number, addresses);
            CheckLines($"Bucket {number}", index.At(number), reached);
        }
        CheckMarks(reached);
        CheckOverflow(reached);
        return addresses.Count;
    }

    private void CheckMarks(BitArray reached)
    {
        CheckLines("The list of marks", index.MarksLocked.First, reached);
        int marks = 0;
        foreach (SlotPlace place in index.MarksLocked.Slots)
        {
            marks++;
            Invariant.Require(place.Value.IsOfMark, $"A slot of the list of marks does not fit its address {place.Value.Address}.");
        }
        Invariant.Require(index.Head->MarkCount == marks, $"{index.Head->MarkCount} marks are counted, and there are {marks}.");
    }

    private void CheckState(ulong number)
    {
        Bucket* bucket = index.At(number);
        byte state = bucket->State;
        Invariant.Require(!index.Locks.IsTaken(number), $"Bucket {number} is locked, and nobody is at work.");
        Invariant.Require(!Bucket.IsMoving(state), $"Bucket {number} has the moving bit, and no split is under way.");
        int level = index.LevelOf(number);
        Invariant.Require(
            bucket->Level == level, $"Bucket {number} of {index.BucketCount} has level {bucket->Level}, and must have {level}.");
    }

    private void CheckSlots(ulong number, HashSet<ulong> addresses)
    {
        ulong mask = (1UL << index.At(number)->Level) - 1;
        foreach (SlotPlace place in index.SlotsOf(number))
        {
            IndexSlot slot = place.Value;
            ulong hash = slot.KnownHash(number);
            Invariant.Require(
                (hash & mask) == number, $"Bucket {number} has an entry whose hash ({hash}) belongs to bucket {hash & mask}.");
            Invariant.Require(slot.Address != 0, $"Bucket {number} has a slot with a tag, and no address.");
            Invariant.Require(addresses.Add(slot.Address), $"Two slots lead to address {slot.Address}; one is in bucket {number}.");
        }
    }

    private void CheckLines(string owner, Bucket* first, BitArray reached)
    {
        for (uint next = first->Next; next != 0; next = index.Overflow.At(next)->Next)
        {
            Invariant.Require(next < index.Overflow.End, $"{owner} leads to line {next}, which was never given out.");
            Invariant.Require(!reached[(int)next], $"Line {next} is reached twice; {owner} leads to it as well.");
            Invariant.Require(
                index.Overflow.At(next)->State == 0, $"Line {next} has a state; only the first one of a bucket has. {owner} leads to it.");
            reached[(int)next] = true;
        }
    }

    private void CheckOverflow(BitArray reached)
    {
        uint used = 0;
        for (int line = 1; line < reached.Count; line++)
            used += reached[line] ? 1u : 0u;
        Invariant.Require(used == index.Overflow.Used, $"Buckets lead to {used} lines, and {index.Overflow.Used} are counted as used.");
        uint free = 0;
        for (uint line = index.Overflow.FirstFree; line != 0; line = index.Overflow.At(line)->Next, free++)
        {
            Invariant.Require(line < index.Overflow.End, $"The free line {line} was never given out.");
            Invariant.Require(!reached[(int)line], $"Line {line} is free, and a bucket leads to it or it is free twice.");
            Invariant.Require(Bucket.IsEmptyLocked(index.Overflow.At(line)), $"The free line {line} has an entry.");
            reached[(int)line] = true;
        }
        Invariant.Require(
            used + free + 1 == index.Overflow.End,
            $"Of {index.Overflow.End - 1} lines {used} are used and {free} free; the others are lost.");
    }
}
