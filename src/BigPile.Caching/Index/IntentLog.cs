using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Concurrency;

namespace BigPile.Caching.Index;

/// <summary>The notes of what threads are about to change: one for each, in memory that outlives the process.</summary>
/// <remarks>
/// A thread makes a note under the lock of the key's bucket, before the first store that counts, and takes it back before the lock: so
/// after a kill there is one thing a thread to be put right, and what it is stands in the note. It costs plain stores to a cache line
/// of the thread's own. Threads beyond the number of notes take turns at the last one.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed unsafe class IntentLog
{
    private readonly Intent* _intents;
    private readonly int _last;
    private TinySpinLock _lastLock;

    /// <summary>Uses the notes at a place.</summary>
    internal IntentLog(Intent* intents, int count)
    {
        _intents = intents;
        _last = count - 1;
    }

    /// <summary>How many there are.</summary>
    internal int Count => _last + 1;

    /// <summary>A note as a killed process left it. Nobody makes any.</summary>
    internal ref Intent this[int number] => ref _intents[number];

    /// <summary>Takes all back that a file has, and that do not count: the indexes were closed, when nobody was at anything.</summary>
    internal void Forget()
    {
        for (int i = 0; i < Count; i++)
        {
            if (_intents[i].Word != 0)
                _intents[i].Word = 0;
        }
    }

    /// <summary>The note of a thread, to be filled.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Intent* Take(CriticalRegion critical) => (uint)critical.Number < (uint)_last ? _intents + critical.Number : TakeLast();

    /// <summary>Notes a change of the list of marks.</summary>
    internal Intent* BeginTagMark(CriticalRegion critical, int tableId, ulong newAddress, ulong oldAddress, ulong oldVersion)
    {
        Intent* intent = Take(critical);
        intent->NewAddress = newAddress;
        intent->OldAddress = oldAddress;
        intent->OldVersion = oldVersion;
        intent->FootprintBytesAdded = intent->PayloadBytesAdded = 0;
        Publish(intent, Intent.WordOfMark(tableId));
        return intent;
    }

    /// <summary>Has a filled note count.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Publish(Intent* intent, ulong word)
    {
        Volatile.Write(ref intent->Word, intent->Checked(word));
        CrashPoints.Pass(CrashPoint.IntentRecorded);
    }

    /// <summary>Takes a note back: all of the change is made, or nothing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void End(Intent* intent)
    {
        CrashPoints.Pass(CrashPoint.ChangeBeforeDone);
        Debug.Assert(intent->IsValid, "What ends has begun.");
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
