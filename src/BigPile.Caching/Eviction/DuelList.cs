using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Checking;

namespace BigPile.Caching.Eviction;

/// <summary>
/// Tries out what the estimates leave open: whether a newcomer that was evicted lately is used before an entry that it might replace.
/// </summary>
/// <remarks>
/// A duel is between a newcomer and an entry of the main queue that has no use. It ends when one of them is missed, or found used; that
/// one wins if the other has no use by then. If one was missed while the other is there and used, the other wins; else nobody does. The
/// score is a moving mean of the winners, -1 for the newcomer and +1 for the entry: in a loop longer than the table the entry wins each
/// time, and where what is new is worth more, the newcomer. At most 128 duels are open at once, and a place is taken in turn; one that is
/// open for longer than its life is ended when its place is wanted. A directory of 512 bytes leads from a hash to its duel.
/// Invariants: a hash is in one duel at most; the directory has two places for each open duel, which lead to it, and no others; the
/// score is between -1 and 1. Memory is taken with the first duel.
/// Thread safety: none; its owner has a lock.
/// </remarks>
/// <param name="isUsed">Whether the entry of a hash is there and was used since it was looked at. Takes locks of buckets.</param>
internal sealed class DuelList(Func<uint, bool> isUsed)
{
    private const int Places = 128;
    private const int DirectoryPlaces = 512;
    private const int DirectoryShift = 23;
    private const double VoteShare = 1 / 64.0;
    private const int OldThatTell = 32;
    private const double ScoreThatAdmits = -0.2; // it takes evidence to admit: with 0, loops lose

    private Duel[]? _duels;
    private byte[]? _directory;
    private int _next;
    private int _oldInTurn;

    /// <summary>From -1, the newcomers are used first, to 1, the entries are.</summary>
    internal double Score { get; private set; }

    /// <summary>Whether newcomers that the estimates say nothing about are worth more than what they replace.</summary>
    internal bool AdmitsNewcomers => Score <= ScoreThatAdmits;

    internal long SizeBytes => _duels == null ? 0 : Places * Unsafe.SizeOf<Duel>() + DirectoryPlaces;

    /// <summary>The number of open duels.</summary>
    internal int Count { get; private set; }

    /// <summary>Ends the duel of a hash, if there is one, as it was missed or found used.</summary>
    internal void End(uint hash, bool isMissed)
    {
        if (_duels == null || !TryFind(hash, out int number))
            return;
        ref Duel duel = ref _duels[number];
        bool isNewcomer = duel.Newcomer == hash;
        if (!isUsed(isNewcomer ? duel.Held : duel.Newcomer))
            Close(number, isNewcomer ? -1 : 1);
        else
            Close(number, !isMissed ? 0 : isNewcomer ? 1 : -1);
    }

    /// <summary>Begins a duel, if there is a place.</summary>
    /// <param name="newcomer">The hash of the newcomer.</param>
    /// <param name="held">That of an entry that it might replace.</param>
    /// <param name="now">The number of entries that were entered so far.</param>
    /// <param name="life">After how many more the duel may be ended.</param>
    /// <returns>
    /// Whether an old one was ended for it after many others in which neither was used: what the main queue has is worth nothing then.
    /// </returns>
    internal bool Begin(uint newcomer, uint held, long now, long life)
    {
        _duels ??= new Duel[Places];
        _directory ??= new byte[DirectoryPlaces];
        int number = _next;
        if (PlaceOf(newcomer) == PlaceOf(held) || _directory[PlaceOf(newcomer)] != 0 || _directory[PlaceOf(held)] != 0)
            return false;
        _next = (_next + 1) % Places;
        bool isIdle = false;
        if (_duels[number].IsOpen && !TryEndOld(number, now, life, out isIdle))
            return false;
        _duels[number] = new Duel(newcomer, held, (uint)now, IsOpen: true);
        _directory[PlaceOf(newcomer)] = _directory[PlaceOf(held)] = (byte)(number + 1);
        Count++;
        return isIdle;
    }

    /// <summary>Looks whether each open duel is in the directory, and nothing else.</summary>
    internal void CheckInvariants(string place)
    {
        Invariant.Require(Score is >= -1 and <= 1, $"{place}: the score of the duels is {Score}.");
        if (_duels == null || _directory == null)
            return;
        int open = 0;
        for (int number = 0; number < Places; number++)
        {
            if (!_duels[number].IsOpen)
                continue;
            open++;
            Invariant.Require(
                _directory[PlaceOf(_duels[number].Newcomer)] == number + 1 && _directory[PlaceOf(_duels[number].Held)] == number + 1,
                $"{place}: the directory does not lead to the duel {number}.");
        }
        int listed = DirectoryPlaces - _directory.AsSpan().Count((byte)0);
        Invariant.Require(
            open == Count && listed == 2 * open, $"{place}: {open} duels are open, {Count} counted, and {listed} places of hashes taken.");
    }

    private static int PlaceOf(uint hash) => (int)(hash * 0x9E3779B1u >> DirectoryShift);

    private bool TryFind(uint hash, out int number)
    {
        number = _directory![PlaceOf(hash)] - 1;
        return number >= 0 && (_duels![number].Newcomer == hash || _duels[number].Held == hash);
    }

    private bool TryEndOld(int number, long now, long life, out bool isIdle)
    {
        isIdle = false;
        Duel old = _duels![number];
        if ((uint)now - old.BegunAt < Math.Min(life, uint.MaxValue / 2))
            return false;
        bool isNewcomerUsed = isUsed(old.Newcomer);
        bool isHeldUsed = isUsed(old.Held);
        Close(number, isNewcomerUsed == isHeldUsed ? 0 : isNewcomerUsed ? -1 : 1);
        _oldInTurn = isNewcomerUsed || isHeldUsed ? 0 : _oldInTurn + 1;
        isIdle = _oldInTurn >= OldThatTell;
        return true;
    }

    private void Close(int number, int vote)
    {
        Debug.Assert(_duels![number].IsOpen, "What ends has begun.");
        if (vote != 0)
        {
            Score += (vote - Score) * VoteShare;
            _oldInTurn = 0;
        }
        _directory![PlaceOf(_duels[number].Newcomer)] = _directory[PlaceOf(_duels[number].Held)] = 0;
        _duels[number] = default;
        Count--;
    }

    private readonly record struct Duel(uint Newcomer, uint Held, uint BegunAt, bool IsOpen);
}
