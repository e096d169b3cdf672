using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Threading;
using BigPile.Checking;
using BigPile.Memory;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Index;

/// <summary>Allocates overflow lines for full buckets, from a free list. Line 0 is never allocated.</summary>
/// <remarks>
/// An allocation takes a line from the free list and links the bucket's last line to it; a return does the reverse, and empties the line
/// before. Both run under the lock, and record the line in transit in the head. So after a kill no line is lost, none is both free and in
/// use, and no entry is in two of them.
/// Thread safety: all members may be called concurrently, unless they say otherwise.
/// </remarks>
internal sealed unsafe class OverflowLines : IDisposable
{
    private readonly IndexHead* _head;
    private readonly IndexStorage _place;
    private LineStore? _lines; // made with the first line
    private TinySpinLock _lock; // guards the lines in transit, the free list, and _owners
    private uint _end; // a copy of the head's: callers outside a critical region may ask for it when the head is unmapped
    private LineOwners? _owners; // not null during an inspection

    internal OverflowLines(IndexStorage place)
    {
        _head = place.Head;
        _place = place;
        _end = _head->OverflowEnd;
        if (End > 1)
            MakeStore().EnsureAll(End, touches: false);
    }

    /// <summary>One past the highest line ever allocated.</summary>
    internal uint End => Volatile.Read(ref _end);

    /// <summary>The number of lines in use.</summary>
    internal uint Used => _head->OverflowUsed;

    internal uint FirstFree => _head->FirstFree;

    /// <summary>The memory of the lines; null before the first one.</summary>
    internal LineStore? Store => _lines;

    internal Bucket* At(uint number) => _lines!.At(number);

    /// <summary>The line of a number; null if the number is 0 or was never allocated.</summary>
    internal Bucket* Find(uint number) => number != 0 && number < End ? _lines!.At(number) : null;

    /// <summary>Allocates an empty line, and links the last line of a bucket to it.</summary>
    /// <param name="last">The last line.</param>
    /// <param name="name">Its name in the head: its number, with <see cref="IndexHead.OverflowBit"/> if it is an overflow line.</param>
    /// <param name="failure">Why nothing was done: the disk is full, or refuses.</param>
    /// <returns>The new line; null on failure.</returns>
    internal Bucket* TakeBehind(Bucket* last, ulong name, out PileException? failure)
    {
        failure = null;
        Debug.Assert(last->Next == 0, "The line is the last of its bucket.");
        using TinySpinLock.Scope held = _lock.EnterScope();
        uint number = _head->FirstFree;
        bool isNew = Find(number) is var free && (free == null || !Bucket.IsEmptyLocked(free)); // the free list is empty, or damaged
        if (isNew && !TryTakeNewLocked(out number, out failure))
            return null;
        BeginLocked(number, name, usedIfLedTo: Used + 1);
        Volatile.Write(ref _head->FirstFree, isNew ? 0 : At(number)->Next);
        CrashPoints.Pass(CrashPoint.LineOnItsWay);
        *At(number) = default; // a free line may be damaged: its state, say, though its slots are empty
        last->Next = number; // a reader that follows the link finds an empty line
        _head->SetOverflowUsed(_head->OverflowUsed + 1);
        EndLocked();
        _owners?.Give(number, name);
        return At(number);
    }

    /// <summary>
    /// Moves entries of the last line of a bucket to empty slots of the line before it, and returns the line to the free list if it is
    /// empty then. Readers may still be in it.
    /// </summary>
    /// <param name="bucket">The bucket.</param>
    /// <param name="before">The line that links to it.</param>
    /// <param name="name">The name of that line; see <see cref="TakeBehind"/>.</param>
    /// <returns>Whether it is returned.</returns>
    internal bool TryShorten(in LockedBucket bucket, Bucket* before, ulong name)
    {
        uint number = before->Next;
        Debug.Assert(number != 0 && number < End, "The line was allocated.");
        Bucket* line = At(number);
        Debug.Assert(line->Next == 0, "It is the last line.");
        using TinySpinLock.Scope held = _lock.EnterScope();
        if (line->IsFree)
            return false; // damage: another bucket shared the line, and has just returned it
        BeginLocked(number, name, usedIfLedTo: Used);
        bucket.MoveLocked(line, before);
        bool isEmpty = Bucket.IsEmptyLocked(line);
        if (isEmpty)
        {
            line->ClearExpiry();
            before->Next = 0;
            CrashPoints.Pass(CrashPoint.LineOnItsWay);
            FreeLocked(number);
            _owners?.TakeBack(number, name);
            Debug.Assert(Used > 0, "No line is returned twice.");
            _head->SetOverflowUsed(_head->OverflowUsed - 1);
        }
        EndLocked();
        return isEmpty;
    }

    /// <summary>Whether an inspection is under way: a line that a bucket leads to may be a free one.</summary>
    internal bool IsInspected => Volatile.Read(ref _owners) != null;

    /// <summary>Begins to record which lines buckets link to.</summary>
    internal void BeginInspection()
    {
        using TinySpinLock.Scope held = _lock.EnterScope();
        _owners = new LineOwners(End);
    }

    /// <summary>Records that a line of a locked bucket links to an overflow line.</summary>
    /// <param name="number">The overflow line.</param>
    /// <param name="name">The name of the line that links to it; see <see cref="TakeBehind"/>.</param>
    /// <returns><see langword="false"/> if another line links to it as well, or it was never allocated.</returns>
    internal bool TryReach(uint number, ulong name)
    {
        using TinySpinLock.Scope held = _lock.EnterScope();
        return number < End && _owners!.TryClaim(number, name);
    }

    /// <summary>
    /// Ends an inspection. If all buckets were inspected, the lines that none of them links to become the free list. If two lines linked
    /// to one, nothing is changed, and another inspection is needed.
    /// </summary>
    /// <returns><see langword="false"/> if something was damaged.</returns>
    internal bool EndInspection(bool isWhole)
    {
        _lock.Enter();
        try
        {
            if (!isWhole || _owners is not { } owners)
                return true;
            if (owners.HadTwo)
                return false;
            bool isRight = AreFreeLinesRightLocked(owners);
            if (!isRight)
                FreeAllOthersLocked(owners);
            return isRight;
        }
        finally
        {
            _owners = null;
            _lock.Exit();
        }
    }

    /// <summary>Completes or undoes the transit of a line that a killed process had begun. Nobody uses the index yet.</summary>
    /// <param name="find">Gives the line of a name; null if there is none.</param>
    internal void Recover(Func<ulong, nint> find)
    {
        uint number = _head->OnItsWay;
        if (number == 0)
            return;
        var before = (Bucket*)find(_head->BeforeOnItsWay);
        bool isLedTo = before != null && before->Next == number;
        if (isLedTo && Find(number) is var line && line != null)
            DropCopies(line, before);
        if (!isLedTo && number < End && _head->FirstFree != number)
            FreeLocked(number);
        _head->SetOverflowUsed(isLedTo ? _head->UsedIfLedTo : _head->UsedIfLedTo - 1);
        EndLocked();
    }

    /// <summary>Records that no line is in transit. Nobody uses the index yet.</summary>
    internal void ForgetOnItsWay() => EndLocked();

    public void Dispose() => _lines?.Dispose();

    // A kill while a slot was moved to the line before leaves it in both.
    private static void DropCopies(Bucket* line, Bucket* before)
    {
        foreach (SlotPlace place in Bucket.SlotsOf(line))
        {
            if (Bucket.SlotsOf(before).Has(place.Value))
                place.Store(default);
        }
    }

    private LineStore MakeStore() => _lines ??= new LineStore(_place.Overflow);

    private bool TryTakeNewLocked(out uint number, [NotNullWhen(false)] out PileException? failure)
    {
        number = _end;
        failure = null;
        try
        {
            MakeStore().Ensure(number);
            return true;
        }
        catch (IOException e)
        {
            string why = FileErrors.WithRemedy(e, "Free space on the disk, and try again.");
            string message = $"The index of a table can't grow, and nothing was changed: {why}";
            failure = FileErrors.IsDiskFull(e) ? new PileFullException(message, e) : new PileStorageException(message, e);
            return false;
        }
    }

    private bool AreFreeLinesRightLocked(LineOwners owners)
    {
        uint used = 0;
        for (uint number = 1; number < End; number++)
            used += owners.IsLedTo(number) ? 1u : 0u;
        uint free = 0;
        for (uint number = FirstFree; number != 0; number = At(number)->Next)
        {
            if (number >= End || owners.IsLedTo(number) || !Bucket.IsEmptyLocked(At(number)) || ++free >= End)
                return false;
        }
        return used == Used && used + free + 1 == End;
    }

    private void FreeAllOthersLocked(LineOwners owners)
    {
        uint used = 0;
        Volatile.Write(ref _head->FirstFree, 0);
        for (uint number = End - 1; number > 0; number--)
        {
            if (owners.IsLedTo(number))
            {
                used++;
                continue;
            }
            *At(number) = default;
            FreeLocked(number);
        }
        _head->SetOverflowUsed(used);
    }

    private void BeginLocked(uint number, ulong name, uint usedIfLedTo)
    {
        _head->UsedIfLedTo = usedIfLedTo;
        _head->BeforeOnItsWay = name;
        Volatile.Write(ref _head->OnItsWay, number);
        if (number != _end)
            return;
        _head->SetOverflowEnd(number + 1);
        Volatile.Write(ref _end, number + 1);
    }

    private void EndLocked() => Volatile.Write(ref _head->OnItsWay, 0);

    private void FreeLocked(uint number)
    {
        At(number)->Next = _head->FirstFree;
        At(number)->SetFree();
        Volatile.Write(ref _head->FirstFree, number);
    }
}
