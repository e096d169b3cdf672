using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Tests;

/// <summary>A pile and a dictionary in lock step: the same seed makes the same run.</summary>
internal sealed class PileModel(Pile pile, int seed)
{
    private const int MaxLive = 3_000;
    private const int MaxDead = 100_000;

    private readonly Random _random = new(seed);
    private readonly Dictionary<PilePointer, object> _model = [];
    private readonly List<PilePointer> _live = [];
    private readonly List<PilePointer> _dead = [];

    internal void Step()
    {
        int dice = _random.Next(100);
        if (_live.Count == 0 || (dice < 40 && _live.Count < MaxLive))
            Put();
        else if (dice < 60)
            Replace(_random.Next(_live.Count));
        else if (dice < 80)
            Delete(_random.Next(_live.Count));
        else if (dice < 95 || _dead.Count == 0)
            CheckOne(_live[_random.Next(_live.Count)]);
        else
            Assert.False(pile.TryGet(_dead[_random.Next(_dead.Count)], out _), $"seed {seed}");
        CheckEquations();
    }

    private void CheckEquations()
    {
        PileStatistics s = pile.Statistics;
        bool addsUp = s.ReservedBytes == s.CommittedBytes + s.UnusedBytes
            && s.CommittedBytes == s.PayloadBytes + s.HeaderBytes + s.SlackBytes + s.FreeBytes + s.UnexaminedBytes
            && s.ObjectCount == _model.Count;
        Assert.True(addsUp, $"seed {seed}: {s} does not add up, with {_model.Count} objects");
    }

    internal void Check()
    {
        Assert.Equal(_model.Count, pile.Statistics.ObjectCount);
        foreach (PilePointer pointer in _model.Keys)
            CheckOne(pointer);
        foreach (PilePointer pointer in _dead)
            Assert.False(pile.Contains(pointer), $"seed {seed}");
        Assert.Equal(_model.Keys.ToHashSet(), pile.Select(static entry => entry.Pointer).ToHashSet());
    }

    // The assertion library compares arrays element by element, which takes longer than all the rest.
    private void CheckOne(PilePointer pointer)
    {
        object actual = pile.Get(pointer);
        bool isSame = _model[pointer] is byte[] bytes ? bytes.AsSpan().SequenceEqual((byte[])actual) : _model[pointer].Equals(actual);
        Assert.True(isSame, $"seed {seed}: {pointer} came back different");
    }

    private void Put()
    {
        object value = NewValue();
        PilePointer pointer = pile.Put(value);
        Assert.True(_model.TryAdd(pointer, value), $"seed {seed}: {pointer} was given out twice");
        _live.Add(pointer);
    }

    private void Replace(int index)
    {
        object value = NewValue();
        pile.Replace(_live[index], value);
        _model[_live[index]] = value;
    }

    private void Delete(int index)
    {
        PilePointer pointer = _live[index];
        pile.Delete(pointer);
        _model.Remove(pointer);
        if (_dead.Count < MaxDead)
            _dead.Add(pointer);
        else
            _dead[_random.Next(MaxDead)] = pointer;
        _live[index] = _live[^1];
        _live.RemoveAt(_live.Count - 1);
    }

    private object NewValue()
    {
        int length = _random.Next(_random.Next(100) == 0 ? 200_000 : _random.Next(10) == 0 ? 5_000 : 200);
        if (_random.Next(2) == 0)
            return new string((char)_random.Next(32, _random.Next(4) == 0 ? 0xFFFF : 127), length);
        return Noise.Of(length, _random.NextInt64());
    }
}
