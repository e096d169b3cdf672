using System;

namespace BigPile.Perf.Policies;

/// <summary>Says from time to time how much larger or smaller a window should be: on in the same direction while that gains hits.</summary>
/// <remarks>As Caffeine: first down, by a sixteenth of the capacity; a change of 5 % of hits begins with such large steps anew.</remarks>
internal sealed class HillClimber
{
    private const int AccessesAnEntry = 10;
    private const double LargeStep = 0.0625;
    private const double Shrinking = 0.98;
    private const double ChangeToRestart = 0.05;

    private readonly long _capacity;
    private double _step;
    private double _previousRatio;
    private long _accesses;
    private long _hits;

    internal HillClimber(long capacity)
    {
        _capacity = capacity;
        _step = -LargeStep * capacity;
    }

    /// <summary>Notes an access.</summary>
    /// <returns>By how many entries the window should grow; less than 0: shrink.</returns>
    internal long Note(bool isHit)
    {
        _accesses++;
        _hits += isHit ? 1 : 0;
        if (_accesses < AccessesAnEntry * _capacity)
            return 0;
        double ratio = (double)_hits / _accesses;
        double change = ratio - _previousRatio;
        double amount = change >= 0 ? _step : -_step;
        _step = Math.Abs(change) >= ChangeToRestart ? Math.CopySign(LargeStep * _capacity, amount) : Shrinking * amount;
        _previousRatio = ratio;
        _accesses = _hits = 0;
        return (long)amount;
    }
}
