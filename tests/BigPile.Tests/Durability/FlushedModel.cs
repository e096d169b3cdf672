using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Tests.Durability;

/// <summary>Random changes of all kinds, and what a power cut may leave of them: exactly what was flushed last.</summary>
/// <remarks>
/// A flush that fails, and one that the pile makes by itself, may or may not have come to its end: then there are several states, and the
/// image must be one of them as a whole.
/// </remarks>
internal sealed class FlushedModel(Random random)
{
    private const int MaxLive = 250;
    private const int LeastOfMaintenance = 95; // of 100

    private readonly Dictionary<PilePointer, List<byte[]>> _everHad = [];
    private readonly List<State> _flushed = [new State([], [])];
    private readonly List<State> _sinceFlush = [];
    private volatile bool _hasFlushedItself;
    private Dictionary<PilePointer, byte[]> _now = [];
    private HashSet<PilePointer> _dead = [];

    internal long Checked { get; private set; }

    internal void Step(Pile pile) => Step(pile, random.Next(100));

    /// <summary>A step that flushes nothing.</summary>
    internal void StepBesideFlush(Pile pile) => Step(pile, random.Next(LeastOfMaintenance));

    private void Step(Pile pile, int dice)
    {
        _sinceFlush.Add(new State(new(_now), [.. _dead]));
        if (_now.Count == 0 || (dice < 35 && _now.Count < MaxLive))
            Put(pile);
        else if (dice < 60)
            Replace(pile, Any());
        else if (dice < 70)
            Write(pile, Any());
        else if (dice < LeastOfMaintenance)
            Delete(pile, Any());
        else
            Maintain(pile, dice);
    }

    /// <summary>A flush begins, or something that may flush by itself.</summary>
    internal State MayFlush()
    {
        var state = new State(new(_now), [.. _dead]);
        _flushed.Add(state);
        return state;
    }

    /// <summary>The pile has flushed in the background, at any instant since the last flush.</summary>
    internal void HasFlushedItself() => _hasFlushedItself = true;

    /// <summary>A flush has ended well.</summary>
    /// <param name="state">What was there at its beginning.</param>
    internal void HasFlushed(State state)
    {
        _flushed.Clear();
        _sinceFlush.Clear();
        _hasFlushedItself = false;
        _flushed.Add(state);
    }

    /// <summary>What is there is all that there is from now on.</summary>
    internal void GoOnFrom(Pile pile)
    {
        _now = pile.ToDictionary(static entry => entry.Pointer, entry => pile.GetBytes(entry.Pointer));
        _dead = _flushed[0].Dead; // a pointer that was lost before its flush may be given out again
        HasFlushed(MayFlush());
    }

    internal void Check(Pile image, string when)
    {
        Checked += _now.Count;
        string? difference = null;
        foreach (State state in _hasFlushedItself ? [.. _flushed, .. _sinceFlush, new State(_now, _dead)] : _flushed)
        {
            difference = DifferenceFrom(state, image);
            if (difference == null)
                break;
        }
        Assert.True(difference == null, $"{when}: {difference} ({_flushed.Count} states)");
        foreach (PileEntry entry in image)
        {
            byte[] found = image.GetBytes(entry.Pointer);
            Assert.True(_everHad.TryGetValue(entry.Pointer, out List<byte[]>? had)
                && had.Exists(one => one.AsSpan().SequenceEqual(found)), $"{when}: {entry.Pointer} was never that");
        }
    }

    /// <summary>Compares a pile that nothing happened to with what it should hold.</summary>
    internal void CheckNow(Pile pile, string when)
    {
        string? difference = DifferenceFrom(new State(_now, _dead), pile);
        Assert.True(difference == null, $"{when}: {difference}");
        Assert.Equal(_now.Count, pile.Count());
    }

    private string? DifferenceFrom(State state, Pile image)
    {
        foreach ((PilePointer pointer, byte[] value) in state.Live)
        {
            if (!image.TryGet(pointer, out byte[]? found))
                return $"{pointer} is gone";
            if (!found.AsSpan().SequenceEqual(value))
                return $"{pointer} is not version {VersionOf(pointer, value)} but {VersionOf(pointer, found)} of {_everHad[pointer].Count}";
        }
        foreach (PilePointer pointer in state.Dead)
        {
            if (image.Contains(pointer))
                return $"{pointer} is back";
        }
        return null;
    }

    private int VersionOf(PilePointer pointer, byte[]? value) => _everHad[pointer].FindIndex(one => one.AsSpan().SequenceEqual(value));

    private PilePointer Any() => _now.Keys.ElementAt(random.Next(_now.Count));

    private void Put(Pile pile)
    {
        byte[] value = NewValue();
        PilePointer pointer = pile.Put(value);
        Assert.False(_now.ContainsKey(pointer));
        Record(pointer, value);
    }

    private void Replace(Pile pile, PilePointer pointer)
    {
        byte[] value = NewValue();
        pile.Replace(pointer, value);
        Record(pointer, value);
    }

    private void Write(Pile pile, PilePointer pointer)
    {
        byte[] value = [.. _now[pointer]];
        if (value.Length == 0)
            return;
        int at = random.Next(value.Length);
        Span<byte> part = value.AsSpan(at, random.Next(Math.Min(value.Length - at, 100) + 1));
        Noise.Fill(part, random.NextInt64());
        pile.Write(pointer, part, at);
        Record(pointer, value);
    }

    private void Delete(Pile pile, PilePointer pointer)
    {
        using PileLease? lease = random.Next(10) == 0 ? pile.Lease(pointer) : null;
        byte[] old = _now[pointer];
        pile.Delete(pointer);
        Assert.True(lease == null || lease.Span.SequenceEqual(old));
        _now.Remove(pointer);
        _dead.Add(pointer);
    }

    private void Maintain(Pile pile, int dice)
    {
        MayFlush();
        if (dice < 98)
            pile.Compact();
        else
            pile.Trim();
    }

    private void Record(PilePointer pointer, byte[] value)
    {
        if (!_everHad.TryGetValue(pointer, out List<byte[]>? had))
            _everHad[pointer] = had = [];
        had.Add(value);
        _now[pointer] = value;
    }

    private byte[] NewValue()
    {
        int lengthBytes = random.Next(40) == 0 ? random.Next(40_000, 160_000) : random.Next(6) == 0 ? random.Next(4_000) : random.Next(120);
        return Noise.Of(lengthBytes, random.NextInt64());
    }

    /// <summary>What was there at an instant, and what had been deleted.</summary>
    internal sealed record State(Dictionary<PilePointer, byte[]> Live, HashSet<PilePointer> Dead);
}
