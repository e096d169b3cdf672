using System;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Access;

/// <summary>Waits for the writer, and not for ever.</summary>
internal struct WriterBackoff(SharedCatalog writer)
{
    private const int PausesWithoutSleep = 200;
    private const ulong AllAddresses = ulong.MaxValue;

    // Longer than any replacement takes whose writer runs. Of a dead writer nothing is to be waited for.
    private static readonly TimeSpan LivenessCheckAfter = TimeSpan.FromMilliseconds(20);


    private SpinWait _spinner;
    private BusyMark? _awaited;
    private long _since;

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
        if (mark == writer.LastBusy)
            return true;
        if (_awaited != mark)
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
