using System;

namespace BigPile.Perf.Soaking;

/// <summary>One thread of the soak with its own objects and keys.</summary>
internal sealed class SoakWorker
{
    private readonly SoakPlace _place;
    private readonly Random _dice;
    private readonly OwnObjects _own;
    private readonly SharedObjects _shared;
    private readonly KeptKeys _kept;
    private readonly LimitedKeys _limited;
    private readonly TaggedKeys _tagged;
    private readonly ISoakPart[] _parts;
    private readonly SoakMaintenance _maintenance;
    private readonly long _share;
    private long _steps;

    internal SoakWorker(SoakPlace place, int worker)
    {
        _place = place;
        int threads = place.Options.Threads;
        _share = place.Options.Operations is { } all ? all / threads + (worker < all % threads ? 1 : 0) : long.MaxValue;
        _dice = new Random(unchecked(place.Options.Seed * 7919 + worker));
        _own = new OwnObjects(place, worker, Tally, _dice);
        _shared = new SharedObjects(place, worker, Tally, _dice);
        _kept = new KeptKeys(place, worker, Tally, _dice);
        _limited = new LimitedKeys(place, Tally, _dice, TimeProvider.System);
        _tagged = new TaggedKeys(place, worker, Tally, _dice);
        _parts = [_own, _shared, _kept, _limited, _tagged];
        _maintenance = new SoakMaintenance(place, worker, Tally, _own, _kept, _tagged);
    }

    internal SoakTally Tally { get; } = new();

    internal void Fill()
    {
        foreach (ISoakPart part in _parts)
            Guard("while the pile is filled", part.Fill);
        Tally.Clear();
    }

    internal void Run()
    {
        while (!_place.IsOver && Tally.Total < _share)
        {
            Guard("on the way", Step);
            _steps++;
        }
    }

    /// <summary>Checks everything that must be there.</summary>
    internal void Check()
    {
        foreach (ISoakPart part in _parts)
            Guard("at the end", part.Check);
        Guard("at the end", _maintenance.Verify);
    }

    internal void Clear()
    {
        foreach (ISoakPart part in _parts)
            Guard("when all is deleted", part.Clear);
    }

    private void Step()
    {
        _maintenance.At(_steps);
        ISoakPart part = _dice.Next(100) switch
        {
            < 58 => _own,
            < 72 => _shared,
            < 84 => _kept,
            < 92 => _limited,
            _ => _tagged,
        };
        part.Step();
    }

    // Nothing that is done here may fail.
    private void Guard(string when, Action action)
    {
        try
        {
            action();
        }
        catch (Exception e)
        {
            _place.Errors.Report($"{when}: {e}");
        }
    }
}

/// <summary>One worker's share in one kind of load. Belongs to the worker's thread.</summary>
internal interface ISoakPart
{
    /// <summary>Fills the initial values before the measured time.</summary>
    void Fill();

    /// <summary>Does one operation, and keeps the live bytes constant.</summary>
    void Step();

    /// <summary>Checks everything that must be there.</summary>
    void Check();

    /// <summary>Ends leases, and deletes objects that are in no table.</summary>
    void Clear();
}
