using System;
using System.Collections.Generic;
using System.Security.Cryptography;

namespace BigPile.Tests.Durability;

/// <summary>What a pile held at its last flush, what was touched since, and every value that each pointer ever had.</summary>
internal sealed class FlushedModel(Random random)
{
    private const int MaxLive = 1_500;

    private readonly Dictionary<PilePointer, HashSet<string>> _everHad = [];
    private readonly Dictionary<PilePointer, string> _now = [];
    private readonly List<PilePointer> _live = [];
    private readonly HashSet<PilePointer> _touched = [];
    private Dictionary<PilePointer, string> _flushed = [];
    private HashSet<PilePointer> _flushedDead = [];
    private readonly HashSet<PilePointer> _dead = [];

    internal void Step(Pile pile)
    {
        int dice = random.Next(100);
        if (_live.Count == 0 || (dice < 50 && _live.Count < MaxLive))
            Put(pile);
        else if (dice < 75)
            Replace(pile, _live[random.Next(_live.Count)]);
        else
            Delete(pile, random.Next(_live.Count));
    }

    /// <param name="pile">The pile.</param>
    /// <param name="check">Checks the cuts in the middle of the flush: what it makes durable is not promised before it returns.</param>
    internal void Flush(Pile pile, Action check)
    {
        pile.Flush();
        check();
        _flushed = new Dictionary<PilePointer, string>(_now);
        _flushedDead = [.. _dead];
        _touched.Clear();
    }

    internal void Check(Pile pile, int seed, PowerCutTests.Tally total)
    {
        foreach ((PilePointer pointer, string digest) in _flushed)
        {
            if (_touched.Contains(pointer))
                continue;
            total.Checked++;
            Assert.True(pile.TryGet(pointer, out object? value), $"seed {seed}: {pointer} was flushed and is gone");
            Assert.True(digest == DigestOf(value!), $"seed {seed}: {pointer} was flushed and is different");
        }
        foreach (PilePointer pointer in _flushedDead)
            Assert.False(pile.Contains(pointer), $"seed {seed}: {pointer} was deleted and flushed, and is back");
        CountWrong(pile, total);
    }

    /// <summary>Counts what is served and was never put under that pointer.</summary>
    internal void CountWrong(Pile pile, PowerCutTests.Tally total)
    {
        foreach (PileEntry entry in pile)
        {
            total.Checked++;
            if (!_everHad.TryGetValue(entry.Pointer, out HashSet<string>? had) || !had.Contains(DigestIn(pile, entry.Pointer)))
                total.Wrong++;
        }
    }

    private static string DigestIn(Pile pile, PilePointer pointer)
    {
        try
        {
            return DigestOf(pile.Get(pointer));
        }
        catch (PileSerializationException)
        {
            return "not readable"; // no value that was put is
        }
    }

    private void Put(Pile pile)
    {
        object value = NewValue();
        PilePointer pointer = pile.Put(value);
        Assert.False(_everHad.ContainsKey(pointer));
        Note(pointer, value);
        _live.Add(pointer);
    }

    private void Replace(Pile pile, PilePointer pointer)
    {
        object value = NewValue();
        // Known before it is done: a cut may come in the middle.
        Note(pointer, value);
        pile.Put(pointer, value);
    }

    private void Delete(Pile pile, int index)
    {
        PilePointer pointer = _live[index];
        _touched.Add(pointer);
        _live[index] = _live[^1];
        _live.RemoveAt(_live.Count - 1);
        _now.Remove(pointer);
        pile.Delete(pointer);
        _dead.Add(pointer);
    }

    private void Note(PilePointer pointer, object value)
    {
        string digest = DigestOf(value);
        if (!_everHad.TryGetValue(pointer, out HashSet<string>? had))
            _everHad[pointer] = had = [];
        had.Add(digest);
        _now[pointer] = digest;
        _touched.Add(pointer);
    }

    private object NewValue() => random.Next(20) switch
    {
        0 => NewBytes(random.Next(40_000, 200_000)),
        < 3 => NewBytes(random.Next(1_000, 20_000)),
        < 10 => new string((char)('a' + random.Next(26)), random.Next(200)) + random.Next(),
        < 12 => new List<int> { random.Next(), random.Next() },
        _ => NewBytes(random.Next(400)),
    };

    private byte[] NewBytes(int length)
    {
        var bytes = new byte[length];
        random.NextBytes(bytes);
        return bytes;
    }

    private static string DigestOf(object value) => value switch
    {
        byte[] bytes => Convert.ToHexString(SHA256.HashData(bytes)),
        List<int> list => string.Join(',', list),
        _ => (string)value,
    };
}
