using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Perf.Policies;

/// <summary>
/// S3-FIFO: a small queue of a tenth of the capacity, and a main queue. A key enters the main queue if it is used twice in the small one,
/// or comes back soon after it was evicted.
/// </summary>
/// <remarks>
/// Yang and others, "FIFO queues are all you need for cache eviction" (SOSP 2023), with its 2 bits of uses per key, and as many ghosts as
/// the main queue's capacity. A ghost is a number: how many keys had left the small queue when its key did.
/// </remarks>
internal sealed class S3Fifo : IPolicy
{
    private const double SmallShare = 0.1;
    private const double GhostShare = 0.9;
    private const int MostUses = 3;
    private const int UsesForMain = 2;

    private readonly long _capacity;
    private readonly KeyWeights _weights;
    private readonly long _smallCapacity;
    private readonly long _ghostCapacity;
    private readonly Queue<int> _small = new();
    private readonly Queue<int> _main = new();
    private readonly Place[] _places;
    private readonly byte[] _uses;
    private readonly long[] _forgottenAt; // 0: no ghost
    private long _smallUsed;
    private long _mainUsed;
    private long _forgotten;

    internal S3Fifo(int keys, long capacity, KeyWeights weights)
    {
        _capacity = capacity;
        _weights = weights;
        _smallCapacity = Math.Max(1, (long)(capacity * SmallShare));
        _ghostCapacity = Math.Max(1, (long)(capacity * GhostShare));
        _places = new Place[keys];
        _uses = new byte[keys];
        _forgottenAt = new long[keys];
    }

    private enum Place : byte
    {
        Nowhere,
        Small,
        Main,
    }

    public bool Access(int key)
    {
        if (_places[key] != Place.Nowhere)
        {
            _uses[key] = (byte)Math.Min(_uses[key] + 1, MostUses);
            return true;
        }
        long weight = _weights.Of(key);
        if (weight > _capacity)
            return false;
        while (_smallUsed + _mainUsed + weight > _capacity)
            Evict();
        Insert(key);
        return false;
    }

    public void CheckInvariants()
    {
        CheckQueue(_small, Place.Small, _smallUsed);
        CheckQueue(_main, Place.Main, _mainUsed);
        Require.That(_smallUsed + _mainUsed <= _capacity, $"{_smallUsed} and {_mainUsed} are more than the capacity of {_capacity}.");
        int resident = _places.Count(static place => place != Place.Nowhere);
        Require.That(resident == _small.Count + _main.Count, $"{resident} keys have a place in the queues.");
    }

    private void Insert(int key)
    {
        bool isGhost = _forgottenAt[key] != 0 && _forgotten - _forgottenAt[key] < _ghostCapacity;
        _forgottenAt[key] = 0;
        _uses[key] = 0;
        if (isGhost)
            EnterMain(key);
        else
            EnterSmall(key);
    }

    private void Evict()
    {
        if (_smallUsed >= _smallCapacity || _main.Count == 0)
            EvictFromSmall();
        else
            StepMain();
    }

    private void EvictFromSmall()
    {
        int key = _small.Dequeue();
        _smallUsed -= _weights.Of(key);
        if (_uses[key] >= UsesForMain)
        {
            _uses[key] = 0;
            EnterMain(key);
            while (_mainUsed > _capacity - _smallCapacity)
                StepMain();
            return;
        }
        _places[key] = Place.Nowhere;
        _forgotten += _weights.Of(key);
        _forgottenAt[key] = _forgotten;
    }

    // Evicts main's oldest key, or reinserts it.
    private void StepMain()
    {
        int key = _main.Dequeue();
        if (_uses[key] != 0)
        {
            _uses[key]--;
            _main.Enqueue(key);
            return;
        }
        _mainUsed -= _weights.Of(key);
        _places[key] = Place.Nowhere;
    }

    private void EnterSmall(int key)
    {
        _small.Enqueue(key);
        _smallUsed += _weights.Of(key);
        _places[key] = Place.Small;
    }

    private void EnterMain(int key)
    {
        _main.Enqueue(key);
        _mainUsed += _weights.Of(key);
        _places[key] = Place.Main;
    }

    private void CheckQueue(Queue<int> queue, Place place, long used)
    {
        long sum = queue.Sum(key => _weights.Of(key));
        Require.That(sum == used, $"The keys of {place} take {sum}, and {used} is counted.");
        Require.That(queue.All(key => _places[key] == place), $"A key of {place} is said to be elsewhere.");
    }
}
