using System;

namespace BigPile.Perf.Policies;

/// <summary>
/// W-TinyLFU: a window by recency, and a main part that lets a key of the window in only when it came more often than the one that has
/// to go.
/// </summary>
/// <remarks>
/// As Caffeine: the window has 1 % at first, and a hill climber changes that; main is a segmented LRU, of which 80 % are for what was used
/// in it. Einziger and others, "TinyLFU" (ACM ToS 2017), and "Adaptive software cache management" (Middleware 2018).
/// </remarks>
internal sealed class WTinyLfu : IPolicy
{
    private const int Window = 0;
    private const int Probation = 1;
    private const int Protected = 2;
    private const double WindowShare = 0.01;
    private const double ProtectedShare = 0.8;
    private const int FrequentForLuck = 6; // a frequent candidate gets in by luck now and then, against keys chosen to collide
    private const int LuckOneIn = 128;

    private readonly long _capacity;
    private readonly KeyLists _lists;
    private readonly FrequencySketch _sketch;
    private readonly HillClimber _climber;
    private readonly Random _random;
    private long _windowCapacity;
    private long _protectedCapacity;

    internal WTinyLfu(int keys, long capacity, int seed)
    {
        _capacity = capacity;
        _lists = new KeyLists(keys, lists: 3);
        _sketch = new FrequencySketch((int)Math.Min(capacity, keys), seed);
        _climber = new HillClimber(capacity);
        _random = new Random(seed);
        _windowCapacity = Math.Max(1, (long)(capacity * WindowShare));
        _protectedCapacity = (long)((capacity - _windowCapacity) * ProtectedShare);
    }

    private long Count => (long)_lists.Count(Window) + _lists.Count(Probation) + _lists.Count(Protected);

    public bool Access(int key)
    {
        _sketch.Add(key);
        bool isHit = _lists.ListOf(key) != KeyLists.None;
        if (isHit)
            Use(key);
        else
            Insert(key);
        long growth = _climber.Note(isHit);
        if (growth > 0)
            GrowWindow(growth);
        else if (growth < 0)
            ShrinkWindow(-growth);
        return isHit;
    }

    public void CheckInvariants()
    {
        _lists.CheckInvariants();
        Require.That(Count <= _capacity, $"{Count} keys are more than the capacity of {_capacity}.");
        Require.That(_windowCapacity >= 1 && _protectedCapacity >= 0, "A part has less than nothing.");
        Require.That(_windowCapacity + _protectedCapacity <= _capacity, "The parts have more than the whole.");
        Require.That(_lists.Count(Protected) <= _protectedCapacity, "More keys are protected than there is room for.");
    }

    private void Use(int key)
    {
        int list = _lists.ListOf(key);
        _lists.MoveToNewest(list == Window ? Window : Protected, key);
        Demote();
    }

    private void Insert(int key)
    {
        _lists.AddNewest(Window, key);
        if (_lists.Count(Window) > _windowCapacity)
        {
            int candidate = _lists.Oldest(Window);
            _lists.MoveToNewest(Probation, candidate);
            if (Count > _capacity)
                _lists.Remove(LoserOf(candidate));
        }
        else if (Count > _capacity)
        {
            _lists.Remove(OldestOfMain());
        }
    }

    // The candidate is the newest in probation: there it is the oldest too only when it is alone.
    private int LoserOf(int candidate)
    {
        int victim = OldestOfMain();
        if (victim == candidate)
            victim = _lists.Count(Protected) != 0 ? _lists.Oldest(Protected) : candidate;
        return victim != candidate && Admits(candidate, victim) ? victim : candidate;
    }

    private bool Admits(int candidate, int victim)
    {
        int frequency = _sketch.Estimate(candidate);
        if (frequency > _sketch.Estimate(victim))
            return true;
        return frequency >= FrequentForLuck && _random.Next(LuckOneIn) == 0;
    }

    private int OldestOfMain() => _lists.Oldest(_lists.Count(Probation) != 0 ? Probation : Protected);

    private void Demote()
    {
        while (_lists.Count(Protected) > _protectedCapacity)
            _lists.MoveToNewest(Probation, _lists.Oldest(Protected));
    }

    private void GrowWindow(long growth)
    {
        long quota = Math.Min(growth, _protectedCapacity);
        _protectedCapacity -= quota;
        _windowCapacity += quota;
        Demote();
        for (; quota > 0 && _lists.Count(Probation) + _lists.Count(Protected) > 0; quota--)
            _lists.MoveToNewest(Window, OldestOfMain());
        _protectedCapacity += quota;
        _windowCapacity -= quota;
    }

    private void ShrinkWindow(long shrinkage)
    {
        long quota = Math.Min(shrinkage, _windowCapacity - 1);
        _protectedCapacity += quota;
        _windowCapacity -= quota;
        for (; quota > 0 && _lists.Count(Window) > 0; quota--)
            _lists.MoveToNewest(Probation, _lists.Oldest(Window));
    }
}
