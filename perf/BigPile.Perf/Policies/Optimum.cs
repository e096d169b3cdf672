using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Perf.Policies;

/// <summary>Belady's optimum: evicts the resident key whose next use is farthest away. It knows all accesses in advance.</summary>
/// <remarks>
/// Without bypass, like a table: each missing key is put and evicts others. Belady, "A study of replacement algorithms for a
/// virtual-storage computer" (IBM Systems Journal, 1966).
/// </remarks>
internal sealed class Optimum : IPolicy
{
    private readonly int[] _accesses;
    private readonly int[] _nextUse; // of each access: the next one to the same key; or the number of accesses
    private readonly long _capacity;
    private readonly bool[] _isResident;
    private readonly PositionSet _uses; // the next one of each resident key that has any
    private readonly Stack<int> _useless = new(); // the resident keys that have none
    private int _position;
    private long _count;

    internal Optimum(int[] accesses, int keys, long capacity)
    {
        _accesses = accesses;
        _capacity = capacity;
        _isResident = new bool[keys];
        _uses = new PositionSet(accesses.Length);
        _nextUse = NextUses(accesses, keys);
    }

    public bool Access(int key)
    {
        Require.That(_accesses[_position] == key, $"Access {_position} is to key {key}, and it was to be {_accesses[_position]}.");
        bool isHit = _isResident[key];
        if (isHit)
            _uses.Remove(_position);
        else
            Insert(key);
        int nextUse = _nextUse[_position++];
        if (nextUse == _accesses.Length)
            _useless.Push(key);
        else
            _uses.Add(nextUse);
        return isHit;
    }

    public void CheckInvariants()
    {
        int resident = _isResident.Count(static isResident => isResident);
        Require.That(resident == _count, $"{resident} keys are there, and {_count} are counted.");
        Require.That(_count <= _capacity, $"{_count} keys are more than the capacity of {_capacity}.");
        Require.That(_useless.All(key => _isResident[key]), "A key that is not asked for again is gone and still waits to go.");
        Require.That(_uses.IsEmpty || _isResident[_accesses[_uses.Max]], "What is asked for last is gone and still waits to go.");
    }

    private void Insert(int key)
    {
        if (_count == _capacity)
            Evict();
        _isResident[key] = true;
        _count++;
    }

    private void Evict()
    {
        if (!_useless.TryPop(out int key))
        {
            int last = _uses.Max;
            _uses.Remove(last);
            key = _accesses[last];
        }
        _isResident[key] = false;
        _count--;
    }

    private static int[] NextUses(int[] accesses, int keys)
    {
        var nextUse = new int[accesses.Length];
        var seen = new int[keys];
        Array.Fill(seen, accesses.Length);
        for (int i = accesses.Length - 1; i >= 0; i--)
        {
            nextUse[i] = seen[accesses[i]];
            seen[accesses[i]] = i;
        }
        return nextUse;
    }
}
