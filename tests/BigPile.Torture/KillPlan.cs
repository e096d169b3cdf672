using System.Diagnostics;
using System.Globalization;
using System.Threading;
using BigPile.Checking;
using BigPile.Torture.Hash;
using BigPile.Torture.Journals;

namespace BigPile.Torture;

/// <summary>When one child is killed: after a time, after a number of operations, or once a thread waits in a certain window.</summary>
internal sealed unsafe class KillPlan
{
    private const int LongestRunMs = 220;
    private const int LongestOpeningMs = 60;
    private const int MostOperations = 6000;
    private const int CrashPointTimeoutMs = 900;
    private const int OperationTimeoutMs = 1500;
    private const int LongestLingerMs = 3;

    private readonly double _afterMs;
    private readonly long _operations = long.MaxValue;
    private readonly bool _waitsForCrashPoint;
    private readonly double _lingerMs;

    internal KillPlan(bool inOpening, bool hasPauses, CrashPoint point, Dice dice)
    {
        InOpening = inOpening;
        Point = point;
        _afterMs = dice.Next((inOpening ? LongestOpeningMs : LongestRunMs) * 1000) / 1000.0;
        if (hasPauses && dice.OneIn(2))
        {
            _waitsForCrashPoint = true;
            _lingerMs = dice.OneIn(2) ? 0 : dice.Next(LongestLingerMs * 1000) / 1000.0; // the other threads go on meanwhile
            _afterMs = CrashPointTimeoutMs;
        }
        else if (!inOpening && dice.OneIn(2))
        {
            _operations = 1 + dice.Next(1 + dice.Next(MostOperations));
            _afterMs = OperationTimeoutMs;
        }
    }

    internal bool InOpening { get; }

    /// <summary>The window that the child favours.</summary>
    internal CrashPoint Point { get; }

    /// <summary>Waits for the instant.</summary>
    /// <returns>Whether the child ended by itself.</returns>
    internal bool Wait(Process child, Journal journal)
    {
        var watch = Stopwatch.StartNew();
        long end = _operations == long.MaxValue ? long.MaxValue : journal.Operations() + _operations;
        while (watch.Elapsed.TotalMilliseconds < _afterMs && journal.Operations() < end
            && !(_waitsForCrashPoint && IsAtCrashPoint(journal)))
        {
            if (_waitsForCrashPoint || _afterMs - watch.Elapsed.TotalMilliseconds < 2)
                Thread.SpinWait(20);
            else if (child.WaitForExit(1))
                return true;
        }
        watch.Restart();
        while (watch.Elapsed.TotalMilliseconds < _lingerMs)
            Thread.SpinWait(20);
        return child.HasExited;
    }

    public override string ToString()
    {
        string where = InOpening ? "opening" : "work";
        if (_waitsForCrashPoint)
            return $"when in {HashCrashPoints.NameOf(Point)} of {where}";
        return _operations != long.MaxValue
            ? $"after {_operations:N0} operations"
            : string.Create(CultureInfo.InvariantCulture, $"{_afterMs:F1} ms into {where}");
    }

    private bool IsAtCrashPoint(Journal journal)
    {
        for (int i = 0; i < journal.Threads; i++)
        {
            if (Volatile.Read(ref journal.ThreadAt(i)->Point) == (int)Point)
                return true;
        }
        return false;
    }
}
