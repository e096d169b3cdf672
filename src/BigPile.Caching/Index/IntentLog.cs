using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Caching.Metrics;
using BigPile.Checking;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Index;

/// <summary>A write-intent log: one intent for each thread, in memory that outlives the process.</summary>
/// <remarks>
/// A thread publishes its intent under the lock of the key's bucket, or of the tag marks, before the first visible store of the change, and
/// ends it before it releases that lock. So a kill leaves at most one unfinished change a thread, and the intent describes it. The cost is
/// plain stores to a cache line that the thread owns. Threads without an intent of their own share the last one, under a lock.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed unsafe class IntentLog(Intent* intents, int count)
{
    private readonly Intent* _intents = intents;
    private readonly int _last = count - 1; // number of the intent that threads share
    private TinySpinLock _lastLock; // held from Take to End by the thread that uses the shared intent

    internal int Count => _last + 1;

    /// <summary>An intent as a killed process left it. No thread changes the index.</summary>
    internal ref Intent this[int number] => ref _intents[number];

    /// <summary>Clears all intents. The indexes were closed, so any that the file has are void.</summary>
    internal void Forget()
    {
        for (int i = 0; i < Count; i++)
        {
            if (_intents[i].Word != 0)
                _intents[i].Word = 0;
        }
    }

    /// <summary>The intent of a thread, filled except for the counters; valid once it is published.</summary>
    internal Intent* Take(CriticalRegion critical, ulong newAddress, ulong oldAddress, ulong oldVersion, in BlockCount added)
    {
        Intent* intent = (uint)critical.Number < (uint)_last ? _intents + critical.Number : TakeLast();
        intent->NewAddress = newAddress;
        intent->OldAddress = oldAddress;
        intent->OldVersion = oldVersion;
        intent->FootprintBytesAdded = (int)added.FootprintBytes;
        intent->PayloadBytesAdded = (int)added.PayloadBytes;
        return intent;
    }

    /// <summary>Fills and publishes the intent of a change of the list of tag marks.</summary>
    internal Intent* BeginTagMark(CriticalRegion critical, int tableId, ulong newAddress, ulong oldAddress, ulong oldVersion)
    {
        Intent* intent = Take(critical, newAddress, oldAddress, oldVersion, default);
        Publish(intent, Intent.WordOfMark(tableId));
        return intent;
    }

    /// <summary>Makes a filled intent valid, by one store.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Publish(Intent* intent, ulong word)
    {
        Volatile.Write(ref intent->Word, intent->Checked(word));
        CrashPoints.Pass(CrashPoint.IntentRecorded);
    }

    /// <summary>Ends an intent: the change is complete, or none of it was made.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void End(Intent* intent)
    {
        CrashPoints.Pass(CrashPoint.ChangeBeforeDone);
        Debug.Assert(intent->IsValid, "The intent was published.");
        Volatile.Write(ref intent->Word, 0);
        if (intent == _intents + _last)
            _lastLock.Exit();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Intent* TakeLast()
    {
        _lastLock.Enter();
        return _intents + _last;
    }
}
