using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Tests.Durability.PowerCuts;

/// <summary>What a pile holds, what it held at its last flush, and every state that each pointer has had since.</summary>
/// <remarks>
/// After a power cut a pointer that was flushed has the flushed object or one that was put there later; it is gone only if it was deleted
/// since. A pointer that was not there at the flush is gone or has an object that was put there since. Nothing else is there.
/// </remarks>
internal sealed class CrashModel
{
    private readonly Dictionary<PilePointer, object> _flushed = [];
    private readonly List<(PilePointer Pointer, object? Value)> _since = [];
    private readonly Dictionary<PilePointer, object> _now = [];
    private readonly List<PilePointer> _live = [];
    private readonly HashSet<PilePointer> _everDeleted = [];

    internal int Count => _live.Count;

    /// <summary>Bytes of all objects.</summary>
    internal long LiveBytes { get; private set; }

    internal IReadOnlyDictionary<PilePointer, object> Now => _now;

    internal PilePointer At(int index) => _live[index];

    /// <summary>Takes note of a new object, or of what replaces one; before it is done where a cut may come in the middle.</summary>
    internal void Put(PilePointer pointer, object value)
    {
        if (_now.TryGetValue(pointer, out object? old))
            LiveBytes -= CrashValue.SizeOf(old);
        else
            _live.Add(pointer);
        LiveBytes += CrashValue.SizeOf(value);
        _now[pointer] = value;
        _since.Add((pointer, value));
    }

    internal void Delete(int index)
    {
        PilePointer pointer = _live[index];
        _live[index] = _live[^1];
        _live.RemoveAt(_live.Count - 1);
        LiveBytes -= CrashValue.SizeOf(_now[pointer]);
        _now.Remove(pointer);
        _since.Add((pointer, null));
        _everDeleted.Add(pointer);
    }

    /// <summary>Where a flush begins; what is done from here on may or may not be part of it.</summary>
    internal int BeginFlush() => _since.Count;

    /// <summary>Takes note that a flush has returned.</summary>
    internal void EndFlush(int begin)
    {
        foreach ((PilePointer pointer, object? value) in _since.Take(begin))
        {
            if (value != null)
                _flushed[pointer] = value;
            else
                _flushed.Remove(pointer);
        }
        _since.RemoveRange(0, begin);
    }

    /// <summary>Goes on with what a power cut left of the pile.</summary>
    internal void ContinueFrom(Pile pile)
    {
        Dictionary<PilePointer, object> found = Read(pile);
        _now.Clear();
        _live.Clear();
        LiveBytes = 0;
        // The order of a walk depends on where things lie, and so on nothing that the seed does not decide.
        foreach ((PilePointer pointer, object value) in found)
        {
            _now[pointer] = value;
            _live.Add(pointer);
            LiveBytes += CrashValue.SizeOf(value);
        }
        // What was not flushed and is gone is gone for good at the next flush.
        IEnumerable<PilePointer> known = _flushed.Keys.Concat(_since.Select(static state => state.Pointer));
        PilePointer[] gone = [.. known.Where(pointer => !found.ContainsKey(pointer)).Distinct()];
        _since.AddRange(gone.Select(static pointer => (pointer, (object?)null)));
        _since.AddRange(found.Select(static pair => (pair.Key, (object?)pair.Value)));
    }

    /// <summary>Compares what a power cut left.</summary>
    internal void CheckCut(Pile pile, string where, CutTally tally)
    {
        Dictionary<PilePointer, object> found = Read(pile);
        ILookup<PilePointer, object?> later = _since.ToLookup(static state => state.Pointer, static state => state.Value);
        foreach ((PilePointer pointer, object value) in found)
        {
            tally.Checked++;
            bool isFlushed = _flushed.TryGetValue(pointer, out object? flushed) && CrashValue.AreEqual(flushed, value);
            if (isFlushed || later[pointer].Any(state => state != null && CrashValue.AreEqual(state, value)))
                continue;
            bool isKnown = _flushed.ContainsKey(pointer) || later[pointer].Any();
            tally.Find(!isKnown && _everDeleted.Contains(pointer) ? "back" : "wrong", $"{where}: {pointer} has {Describe(value)}");
        }
        foreach ((PilePointer pointer, object value) in _flushed)
        {
            if (!found.ContainsKey(pointer) && later[pointer].All(static state => state != null))
                tally.Find("lost", $"{where}: {pointer} with {Describe(value)}, put since {later[pointer].Count()} times");
        }
    }

    /// <summary>Compares what a kill left, or what is open.</summary>
    internal void CheckAll(Pile pile, string where, CutTally tally)
    {
        Dictionary<PilePointer, object> found = Read(pile);
        foreach ((PilePointer pointer, object value) in _now)
        {
            tally.Checked++;
            if (!found.TryGetValue(pointer, out object? there))
                tally.Find("changed", $"{where}: lost: {pointer} with {Describe(value)}");
            else if (!CrashValue.AreEqual(value, there))
                tally.Find("changed", $"{where}: wrong: {pointer} has {Describe(there)} in the place of {Describe(value)}");
        }
        foreach (PilePointer pointer in found.Keys.Where(pointer => !_now.ContainsKey(pointer)))
            tally.Find("changed", $"{where}: back: {pointer} has {Describe(found[pointer])}");
    }

    private static Dictionary<PilePointer, object> Read(Pile pile) =>
        pile.ToDictionary(static entry => entry.Pointer, entry => ReadOne(pile, entry.Pointer));

    private static object ReadOne(Pile pile, PilePointer pointer)
    {
        try
        {
            return pile.Get(pointer);
        }
        catch (PileException e)
        {
            return e; // equals nothing that was put
        }
    }

    private static string Describe(object value) =>
        value is Exception e ? e.Message : $"a {value.GetType().Name} of {CrashValue.SizeOf(value)}";
}
