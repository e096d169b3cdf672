using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;
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
/// time, and where what is new is worth more, the newcomer. One duel in eight entries is open at once, 64 to 512 in all: with few of them
/// one burst of keys would decide for all that come behind it. A place is taken in turn; one that is open for longer than its life is
/// ended when its place is wanted. A directory with four places for each duel leads from a hash to it.
/// Invariants: a hash is in one duel at most; the directory has two places for each open duel, which lead to it, and no others; the
/// score is between -1 and 1. Memory is taken with the first duel, and more with the first one after the room has grown.
/// Thread safety: none; its owner has a lock.
/// </remarks>
/// <param name="isUsed">Whether the entry of a hash is there and was used since it was looked at. Takes locks of buckets.</param>
internal sealed class DuelList(Func<uint, bool> isUsed)
{
    private const int LeastPlaces = 64;
    private const int MostPlaces = 512;
    private const int EntriesPerPlace = 8;
    private const int DirectoryPlacesPerDuel = 4;
    private const int LivesOfDuel = 2; // in capacities
    private const double VoteShare = 1 / 64.0;
    private const int OldThatTell = 32;
    private const double ScoreThatAdmits = -0.2; // it takes evidence to admit: with 0, loops lose

    private Duel[]? _duels;
    private ushort[]? _directory; // numbers from 1; 0: nobody's place
    private int _directoryShift;
    private int _next;
    private int _oldInTurn;

    /// <summary>From -1, the newcomers are used first, to 1, the entries are.</summary>
    internal double Score { get; private set; }

    /// <summary>Whether newcomers that the estimates say nothing about are worth more than what they replace.</summary>
    internal bool AdmitsNewcomers => Score <= ScoreThatAdmits;

    /// <summary>Whether many duels in turn grew old, and neither was used: what the main queue has is worth nothing.</summary>
    internal bool AreIdle => _oldInTurn >= OldThatTell;

    internal long SizeBytes => _duels == null ? 0 : SizeBytesOf(_duels.Length);

    /// <summary>The number of open duels.</summary>
    internal int Count { get; private set; }

    /// <summary>The bytes that the duels take once there are some.</summary>
    internal static long SizeBytesFor(long capacity) => SizeBytesOf(PlacesFor(capacity));

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
    /// <param name="capacity">The entries that there is room for; a duel may be ended after so many lives of it.</param>
    internal void Begin(uint newcomer, uint held, long now, long capacity)
    {
        TakePlaces(PlacesFor(capacity));
        if (PlaceOf(newcomer) == PlaceOf(held) || _directory[PlaceOf(newcomer)] != 0 || _directory[PlaceOf(held)] != 0)
            return;
        int number = _next;
        _next = (_next + 1) % _duels.Length;
        if (_duels[number].IsOpen && !TryEndOld(number, now, LivesOfDuel * capacity))
            return;
        _duels[number] = new Duel(newcomer, held, (uint)now);
        _directory[PlaceOf(newcomer)] = _directory[PlaceOf(held)] = (ushort)(number + 1);
        Count++;
    }

    /// <summary>Looks whether each open duel is in the directory, and nothing else.</summary>
    internal void CheckInvariants(string place)
    {
        Invariant.Require(Score is >= -1 and <= 1, $"{place}: the score of the duels is {Score}.");
        if (_duels == null || _directory == null)
            return;
        int open = 0;
        for (int number = 0; number < _duels.Length; number++)
        {
            if (!_duels[number].IsOpen)
                continue;
            open++;
            Invariant.Require(
                _directory[PlaceOf(_duels[number].Newcomer)] == number + 1 && _directory[PlaceOf(_duels[number].Held)] == number + 1,
                $"{place}: the directory does not lead to the duel {number}.");
        }
        int listed = _directory.Length - _directory.AsSpan().Count((ushort)0);
        Invariant.Require(
            open == Count && listed == 2 * open, $"{place}: {open} duels are open, {Count} counted, and {listed} places of hashes taken.");
    }

    private static int PlacesFor(long capacity) =>
        (int)BitOperations.RoundUpToPowerOf2((ulong)Math.Clamp(capacity / EntriesPerPlace, LeastPlaces, MostPlaces));

    private static long SizeBytesOf(int places) => places * (Unsafe.SizeOf<Duel>() + DirectoryPlacesPerDuel * (long)sizeof(ushort));

    private int PlaceOf(uint hash) => (int)(hash * 0x9E3779B1u >> _directoryShift);

    // What is open is forgotten when there are to be more: it decided nothing yet.
    [MemberNotNull(nameof(_duels), nameof(_directory))]
    private void TakePlaces(int count)
    {
        if (_duels != null && _directory != null && _duels.Length >= count)
            return;
        _duels = new Duel[count];
        _directory = new ushort[DirectoryPlacesPerDuel * count];
        _directoryShift = 32 - BitOperations.Log2((uint)_directory.Length);
        _next = 0;
        Count = 0;
    }

    private bool TryFind(uint hash, out int number)
    {
        number = _directory![PlaceOf(hash)] - 1;
        return number >= 0 && (_duels![number].Newcomer == hash || _duels[number].Held == hash);
    }

    private bool TryEndOld(int number, long now, long life)
    {
        Duel old = _duels![number];
        if ((uint)now - old.BegunAt < Math.Min(life, uint.MaxValue / 2))
            return false;
        bool isNewcomerUsed = isUsed(old.Newcomer);
        bool isHeldUsed = isUsed(old.Held);
        Close(number, isNewcomerUsed == isHeldUsed ? 0 : isNewcomerUsed ? -1 : 1);
        _oldInTurn = isNewcomerUsed || isHeldUsed ? 0 : Math.Min(_oldInTurn + 1, OldThatTell);
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

    private readonly record struct Duel(uint Newcomer, uint Held, uint BegunAt)
    {
        /// <summary>Whether it goes on: a hash has no duel with itself.</summary>
        internal bool IsOpen => Newcomer != Held;
    }
}
