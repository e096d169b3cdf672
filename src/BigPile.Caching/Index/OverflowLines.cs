using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Memory;

namespace BigPile.Caching.Index;

/// <summary>Gives out lines for buckets that are full, and takes them back. Line 0 is never given out.</summary>
/// <remarks>
/// A line is taken from the free ones and led to, or the other way round, under the lock and with a note of it in the head: what a killed
/// process had on its way is neither lost nor in both places.
/// </remarks>
internal sealed unsafe class OverflowLines : IDisposable
{
    private readonly IndexHead* _head;
    private readonly IndexStorage _place;
    private LineStore? _lines; // there once a line is
    private TinySpinLock _lock;
    private uint _end; // as the head has it; who is not inside may ask for it when the head is gone
    private LineOwners? _owners; // while the index is inspected

    internal OverflowLines(IndexStorage place)
    {
        _head = place.Head;
        _place = place;
        _end = _head->OverflowEnd;
        if (End > 1)
            MakeStore().EnsureAll(End, touches: false);
    }

    /// <summary>The lines that were ever given out, and line 0.</summary>
    internal uint End => Volatile.Read(ref _end);

    /// <summary>The lines that buckets use.</summary>
    internal uint Used => _head->OverflowUsed;

    internal uint FirstFree => _head->FirstFree;

    /// <summary>Where the lines are; there is nothing as long as there was none.</summary>
    internal LineStore? Store => _lines;

    internal Bucket* At(uint number) => _lines!.At(number);

    /// <summary>The line of a number that a line leads to; null where there can be none such.</summary>
    internal Bucket* Find(uint number) => number != 0 && number < End ? _lines!.At(number) : null;

    /// <summary>Takes an empty line, and has one that is the last of its bucket lead to it.</summary>
    /// <param name="last">The line.</param>
    /// <param name="name">What the note calls it: its number, with <see cref="IndexHead.OverflowBit"/> if it is an overflow line.</param>
    /// <returns>The line that was taken.</returns>
    /// <exception cref="PileFullException">The disk is full.</exception>
    internal Bucket* TakeBehind(Bucket* last, ulong name)
    {
        Debug.Assert(last->Next == 0, "The line is the last of its bucket.");
        _lock.Enter();
        try
        {
            uint number = _head->FirstFree;
            bool isNew = Find(number) is var free && (free == null || !Bucket.IsEmptyLocked(free)); // none, or a damaged number
            if (isNew)
                number = TakeNewLocked();
            BeginLocked(number, name, usedIfLedTo: Used + 1);
            Volatile.Write(ref _head->FirstFree, isNew ? 0 : At(number)->Next);
            CrashPoints.Pass(CrashPoint.LineOnItsWay);
            *At(number) = default; // what nobody was given may be damaged: a state, say, in a line whose slots are empty
            last->Next = number; // readers who come by find it empty
            _head->OverflowUsed++;
            EndLocked();
            _owners?.Give(number, name);
            return At(number);
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Takes back an empty line from the end of a bucket. Readers may still be in it, and find nothing.</summary>
    /// <param name="before">The line that leads to it.</param>
    /// <param name="name">What the note calls that one; see <see cref="TakeBehind"/>.</param>
    internal void Return(Bucket* before, ulong name)
    {
        uint number = before->Next;
        Debug.Assert(number != 0 && number < End, "Line 0 is nobody's, and others were given out.");
        Bucket* line = At(number);
        Debug.Assert(Bucket.IsEmptyLocked(line) && line->Next == 0, "A line that goes back has no entries, and none behind it.");
        line->ClearExpiry();
        _lock.Enter();
        try
        {
            BeginLocked(number, name, usedIfLedTo: Used);
            before->Next = 0;
            CrashPoints.Pass(CrashPoint.LineOnItsWay);
            FreeLocked(number);
            _owners?.TakeBack(number, name);
            Debug.Assert(Used > 0, "No line goes back twice.");
            _head->OverflowUsed--;
            EndLocked();
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Begins to note which lines are reached.</summary>
    internal void BeginInspection()
    {
        _lock.Enter();
        try
        {
            _owners = new LineOwners(End);
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Notes that a line of a locked bucket leads to an overflow line.</summary>
    /// <param name="number">The overflow line.</param>
    /// <param name="name">What the note calls the other one; see <see cref="TakeBehind"/>.</param>
    /// <returns><see langword="false"/> when another one does, or there is no such line.</returns>
    internal bool TryReach(uint number, ulong name)
    {
        _lock.Enter();
        try
        {
            return number < End && _owners!.TryClaim(number, name);
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>
    /// Ends what <see cref="BeginInspection"/> began. If all buckets were looked at, the lines that none of them leads to are the free
    /// ones, unless two led to one: then another inspection has to be made.
    /// </summary>
    /// <returns><see langword="false"/> when something was not right.</returns>
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

    /// <summary>Finishes what a killed process had begun. Nobody uses the index yet.</summary>
    /// <param name="find">Gives the line of a name; null where there is none such.</param>
    internal void Recover(Func<ulong, nint> find)
    {
        uint number = _head->OnItsWay;
        if (number == 0)
            return;
        var before = (Bucket*)find(_head->BeforeOnItsWay);
        bool isLedTo = before != null && before->Next == number;
        if (!isLedTo && number < End && _head->FirstFree != number)
            FreeLocked(number);
        _head->OverflowUsed = isLedTo ? _head->UsedIfLedTo : _head->UsedIfLedTo - 1;
        EndLocked();
    }

    /// <summary>States that no line is on its way. Nobody uses the index yet.</summary>
    internal void ForgetOnItsWay() => EndLocked();

    public void Dispose() => _lines?.Dispose();

    private LineStore MakeStore() => _lines ??= new LineStore(_place.Overflow);

    private uint TakeNewLocked()
    {
        uint number = _end;
        try
        {
            MakeStore().Ensure(number);
        }
        catch (IOException e)
        {
            string why = FileErrors.WithRemedy(e, "Make room on the disk, and try again.");
            string message = $"The index of a table can't grow, and nothing was changed: {why}";
            throw FileErrors.IsDiskFull(e) ? new PileFullException(message, e) : new PileStorageException(message, e);
        }
        return number;
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
        _head->OverflowUsed = used;
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
