using System;
using System.Threading;
using BigPile.Memory.Concurrency;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>
/// Thread 0 transfers memory from one owner to another and back; thread 1 searches both. Forbidden: it finds nothing, and is told that it
/// has missed nothing.
/// </summary>
internal sealed class MissedTransferLitmus : LitmusProgram
{
    /// <summary>How long an end of a transfer lasts.</summary>
    internal const int PauseSteps = 100;

    private const int RoundTrips = 5;
    private const int MostDelay = 200;

    private readonly EventCount _transfers = new();
    private readonly Owner _first = new();
    private readonly Owner _other = new();
    private bool _isMissed;

    internal override void Prepare()
    {
        _first.Has = true;
        _other.Has = false;
        _isMissed = false;
    }

    internal override void Run(int thread, Random random)
    {
        for (int i = 0; i < RoundTrips; i++)
        {
            if (thread == 0)
            {
                Transfer(_first, _other);
                Delay.Spin(random.Next(MostDelay));
                Transfer(_other, _first);
                Delay.Spin(random.Next(MostDelay));
            }
            else
            {
                _isMissed |= IsMissed();
                Delay.Spin(random.Next(MostDelay));
                _isMissed |= IsMissed();
                Delay.Spin(random.Next(MostDelay));
            }
        }
    }

    internal override bool IsForbidden() => _isMissed;

    private void Transfer(Owner from, Owner to)
    {
        _transfers.Begin();
        Volatile.Write(ref from.Has, false);
        Volatile.Write(ref to.Has, true);
        _transfers.End();
    }

    private bool IsMissed()
    {
        int events = _transfers.Read();
        bool isFound = Volatile.Read(ref _other.Has) || Volatile.Read(ref _first.Has);
        return !isFound && !_transfers.MayHaveMissed(events);
    }

    private sealed class Owner : CacheLineIsolated
    {
        internal bool Has;
    }
}
