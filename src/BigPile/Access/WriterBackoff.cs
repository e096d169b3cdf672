using System;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Access;

/// <summary>Waits for the writer with backoff and a timeout.</summary>
internal struct WriterBackoff(WriterFollower writer)
{
    private const int PausesWithoutSleep = 200; // spins before the first sleep of a millisecond
    private const ulong AllAddresses = ulong.MaxValue;

    // Longer than any replacement of a running writer. After that, waiting is pointless if the writer is dead.
    private static readonly TimeSpan LivenessCheckAfter = TimeSpan.FromMilliseconds(20);


    private SpinWait _spinner; // of one read; kept over its attempts
    private BusyMark? _awaited; // what this read waits for; null before the first wait
    private long _since; // timestamp at which that was first seen

    internal void Pause() => _spinner.SpinOnce(sleep1Threshold: -1);

    internal void WaitForReplacement(PilePointer pointer, ulong sequence)
    {
        if (IsOver(new BusyMark(pointer.Address, sequence)))
            Throw.HeldByWriter(writer.DirectoryPath, pointer);
    }

    internal void WaitForRecovery(ulong changes)
    {
        if (IsOver(new BusyMark(AllAddresses, changes)))
            Throw.HeldByRecovery(writer.DirectoryPath);
    }

    private readonly bool IsOver(TimeSpan waited) => waited > writer.MaxBackoff || (waited > LivenessCheckAfter && !writer.MayWriterLive);

    private bool IsOver(BusyMark mark)
    {
        if (mark == writer.LastBusy) // another read has waited for it in vain: fail at once
            return true;
        if (_awaited != mark) // another change than before: the writer makes progress
        {
            _awaited = mark;
            _since = Stopwatch.GetTimestamp();
        }
        else if (IsOver(Stopwatch.GetElapsedTime(_since)))
        {
            writer.LastBusy = mark;
            return true;
        }
        _spinner.SpinOnce(PausesWithoutSleep);
        return false;
    }
}

/// <summary>A change that a reader waited for in vain: later readers that meet the same one fail at once.</summary>
internal sealed record BusyMark(ulong Address, ulong Number);
