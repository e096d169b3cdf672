using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Runtime.CompilerServices;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Eviction.Policies;

/// <summary>
/// Admission duels: samples that decide whether recently evicted newcomers should take the places of unused entries. After set dueling
/// (Qureshi and others, ISCA 2007).
/// </summary>
/// <remarks>
/// <para>
/// A duel is between a newcomer (a ghost's key that is put again) and an unused entry of the main queue. It ends when one of the two is
/// missed or found used. That one wins, if the other is unused. If one is missed while the other is used, the other wins. Otherwise nobody
/// wins. If neither is used while the duel lasts, the newcomer wins: a held entry must earn its place. The score is an exponential mean of
/// the results, -1 for the newcomer and +1 for the held entry. In a loop longer than the table the held entry wins each time; where new
/// keys are worth more, the newcomer does.
/// </para>
/// <para>
/// One duel for eight entries may be open, but 64 to 512 in all: with fewer, one burst of keys would decide for all that follow. Duels are
/// a ring. A new duel ends the one in its place, if that is older than its life; otherwise no duel begins. A directory, a hash table with
/// four places for each duel and without probing, finds the duel of a hash.
/// </para>
/// Invariants: a hash is in at most one duel; the directory has exactly two places for each open duel; the score is in [-1, 1]. Memory is
/// allocated with the first duel, and again after the capacity has grown.
/// Thread safety: none; the owner has a lock.
/// </remarks>
/// <param name="isUsed">Whether the entry of a hash exists and has uses. Takes locks of buckets.</param>
internal sealed class DuelList(Func<uint, bool> isUsed)
{
    private const int LeastPlaces = 64;
    private const int MostPlaces = 512;
    private const int EntriesPerPlace = 8;
    private const int DirectoryPlacesPerDuel = 4;
    private const double Life = 2; // of a duel: the weight of the entries that come meanwhile, in capacities
    private const double VoteShare = 1 / 64.0; // weight of one result in the score
    private const double MaxScoreThatAdmits = 0.1; // newcomers are admitted until held entries win clearly
    private const double MaxScoreOfNoUse = -0.99; // for some seventy results no held entry has won

    private Duel[]? _duels; // a ring; null before the first duel
    private ushort[]? _directory; // by hash: number of its duel, plus 1; 0: empty
    private int _directoryShift; // bits of the multiplied hash that the directory ignores
    private int _next; // place of the next duel in the ring

    /// <summary>The mean result: from -1 (newcomers are used first) to 1 (held entries are).</summary>
    internal double Score { get; private set; }

    /// <summary>Whether newcomers go to the main queue.</summary>
    internal bool AdmitsNewcomers => Score <= MaxScoreThatAdmits;

    /// <summary>Whether held entries hardly ever win: the main queue's are of no use.</summary>
    internal bool AreHeldOfNoUse => Score <= MaxScoreOfNoUse;

    internal long SizeBytes => _duels == null ? 0 : SizeBytesOf(_duels.Length);

    /// <summary>The number of open duels.</summary>
    internal int Count { get; private set; }

    /// <summary>The bytes that duels take once there are some.</summary>
    internal static long SizeBytesFor(long capacity) => SizeBytesOf(PlacesFor(capacity));

    /// <summary>Ends the duel of a hash, if it has one.</summary>
    /// <param name="hash">The hash.</param>
    /// <param name="isMissed">Whether its key was missed; otherwise its entry was found used.</param>
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

    /// <summary>Begins a duel, if the ring and the directory have a place.</summary>
    /// <param name="newcomer">The hash of the newcomer.</param>
    /// <param name="held">The hash of the entry that it might replace.</param>
    /// <param name="now">The weight of the entries that came so far, in capacities.</param>
    /// <param name="capacity">The capacity of the class, in entries.</param>
    internal void Begin(uint newcomer, uint held, double now, long capacity)
    {
        TakePlaces(PlacesFor(capacity));
        if (PlaceOf(newcomer) == PlaceOf(held) || _directory[PlaceOf(newcomer)] != 0 || _directory[PlaceOf(held)] != 0)
            return;
        int number = _next;
        _next = (_next + 1) % _duels.Length;
        if (_duels[number].IsOpen && !TryEndOld(number, now))
            return;
        _duels[number] = new Duel(newcomer, held, now);
        _directory[PlaceOf(newcomer)] = _directory[PlaceOf(held)] = (ushort)(number + 1);
        Count++;
    }

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

    // A larger ring forgets the open duels: they have decided nothing yet.
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

    private bool TryEndOld(int number, double now)
    {
        Duel old = _duels![number];
        if (now - old.BegunAt < Life)
            return false;
        bool isNewcomerUsed = isUsed(old.Newcomer);
        bool isHeldUsed = isUsed(old.Held);
        Close(number, !isHeldUsed ? -1 : isNewcomerUsed ? 0 : 1);
        return true;
    }

    private void Close(int number, int vote)
    {
        Debug.Assert(_duels![number].IsOpen, "The duel is open.");
        if (vote != 0)
            Score += (vote - Score) * VoteShare;
        _directory![PlaceOf(_duels[number].Newcomer)] = _directory[PlaceOf(_duels[number].Held)] = 0;
        _duels[number] = default;
        Count--;
    }

    /// <param name="Newcomer">The hash of the newcomer.</param>
    /// <param name="Held">The hash of the entry of the main queue.</param>
    /// <param name="BegunAt">The weight of the entries that had come at its begin, in capacities.</param>
    private readonly record struct Duel(uint Newcomer, uint Held, double BegunAt)
    {
        /// <summary>Whether the duel is open. In an empty place both hashes are 0.</summary>
        internal bool IsOpen => Newcomer != Held;
    }
}
