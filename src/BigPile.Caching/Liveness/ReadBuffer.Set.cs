using System;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Caching.Liveness;

/// <summary>The cells, sets and records of the read buffer.</summary>
internal sealed partial class ReadBuffer
{
    internal struct Cell
    {
        /// <summary>
        /// The version of the entry; 0: free, <see cref="ulong.MaxValue"/>: closed. Claimed by compare-exchange, never given back.
        /// </summary>
        internal ulong Version;

        /// <summary>The hash of its key. Written by the claiming thread, before the time.</summary>
        internal ulong Hash;

        /// <summary>The last use in ticks, or a negative state of <see cref="Record"/>. Exchanged atomically.</summary>
        internal long Time;
    }

    /// <summary>A record of one entry: its cell, which belongs to the entry as long as the set exists.</summary>
    internal readonly record struct Record(Set Set, int Number)
    {
        /// <summary>Time value: the entry has ended, and no use of it is known.</summary>
        internal const long End = -1;

        /// <summary>Time value: the record was drained, or holds nothing. The cell may be used for the same entry again.</summary>
        internal const long Drained = -2;

        /// <summary>Time value: drained, and the set is closed.</summary>
        internal const long Closed = -3;

        /// <summary>Time value: claimed; its time follows.</summary>
        internal const long Pending = -4;

        /// <summary>Bit of a time, which makes it negative: the entry has ended, and this was its last use.</summary>
        private const long Ended = long.MinValue;

        /// <summary>Bit of a time: the renewal that is being written reaches further than the use itself.</summary>
        internal const long Ahead = 1;

        internal ulong Version => Set.At(Number).Version;

        internal ulong Hash => Set.At(Number).Hash;

        /// <summary>The last use of the entry in ticks, or one of the values above; 0: the cell is being claimed.</summary>
        internal long Time => Volatile.Read(ref Set.At(Number).Time);

        /// <summary>The time value for the end of an entry whose record has a time, or is pending.</summary>
        internal static long EndAfter(long time) => time > 0 ? time | Ended : End;

        /// <summary>Whether a time value states that the entry has ended.</summary>
        internal static bool IsEnd(long time) => time is End or < Pending;

        /// <summary>The last use by a time value, whether the entry has ended or not; 0: none.</summary>
        internal static long UseOf(long time) => time > 0 ? time : time < Pending ? time & ~Ended : 0;

        internal bool TryExchange(long from, long to) => Interlocked.CompareExchange(ref Set.At(Number).Time, to, from) == from;
    }

    /// <summary>
    /// A fixed number of cells, a power of two. A large set allocates its parts on first use, so no read waits for the whole.
    /// </summary>
    internal sealed class Set
    {
        private const int PartCells = 4_096; // on the large object heap, which is not compacted; no references
        private const ulong ClosedVersion = ulong.MaxValue;

        private static readonly Cell[] ClosedPart = MakeClosedPart();

        private readonly Cell[]?[] _parts; // null until the first record in a part; compare-exchanged
        private readonly int _partMask; // a cell's number in its part
        private Set? _older; // written under the drain lock, when sets between the two were removed

        internal Set(int length, Set? older)
        {
            Debug.Assert(int.IsPow2(length), "Cells are numbered by masks.");
            Length = length;
            int partCells = Math.Min(length, PartCells);
            _partMask = partCells - 1;
            _parts = new Cell[length / partCells][];
            if (_parts.Length == 1)
                _parts[0] = new Cell[partCells];
            _older = older;
        }

        internal int Length { get; }

        internal Set? Older
        {
            get => Volatile.Read(ref _older);
            set => Volatile.Write(ref _older, value);
        }

        // Mixed twice: versions are milliseconds and a counter, and a single multiplication leaves patterns that fill one probe window.
        internal static int FirstOf(ulong version)
        {
            const ulong golden = 0x9E3779B97F4A7C15;
            ulong mixed = version * golden;
            return (int)((mixed ^ (mixed >> 32)) * golden >> 34); // 30 bits: the end of the window does not overflow
        }

        /// <summary>The version that owns the cell; 0: none, or closed.</summary>
        internal ulong VersionAt(int number)
        {
            if (PartOf(number) is not { } part)
                return 0;
            ulong version = Volatile.Read(ref part[number & _partMask].Version);
            return version == ClosedVersion ? 0 : version;
        }

        /// <summary>
        /// Claims the entry's drained cell, or the first free one of its window, and sets its time to <see cref="Record.Pending"/>.
        /// </summary>
        /// <returns><see langword="false"/> if the window is full or the set is closed.</returns>
        internal bool TryClaim(ulong version, ulong hash, int ways, out int number)
        {
            number = FirstOf(version);
            for (int end = number + ways; number < end; number++)
            {
                // The first free cell, and none is given back while the set exists: so lookups stop at a free one, and an exchange in a
                // cell concerns its entry only.
                ref Cell cell = ref (PartOf(number) ?? MakePart(number, new Cell[PartCells]))[number & _partMask];
                ulong was = Volatile.Read(ref cell.Version);
                if (was == 0)
                    was = Interlocked.CompareExchange(ref cell.Version, version, 0); // 0: the cell is this thread's
                if (was == ClosedVersion) // closed: lookups stop here
                    return false;
                // The entry's own cell, once its record was drained. While another thread's record is in it, this one gets a cell of its
                // own.
                if (was == version && Interlocked.CompareExchange(ref cell.Time, Record.Pending, Record.Drained) == Record.Drained)
                    return true;
                if (was != 0) // another entry's, or in use
                    continue;
                cell.Hash = hash;
                // Publishes the hash. An end that comes before this misses no use: this thread has yet to read the clock.
                Volatile.Write(ref cell.Time, Record.Pending);
                return true;
            }
            return false;
        }

        /// <summary>A cell that is claimed.</summary>
        internal ref Cell At(int number) => ref PartOf(number)![number & _partMask];

        /// <summary>Closes the free and the drained cells, so that nothing more is recorded there.</summary>
        /// <returns>Whether all cells are closed: the set can go.</returns>
        internal bool TryClose()
        {
            bool isEmpty = true;
            for (int first = 0; first < Length; first += PartCells)
            {
                Cell[] part = PartOf(first) ?? MakePart(first, ClosedPart);
                if (part == ClosedPart)
                    continue; // no record was ever in it
                foreach (ref Cell cell in part.AsSpan())
                {
                    // A free cell is closed by its version; one of an entry by its time, if that is drained. Both exchanges race with
                    // TryClaim's: one of the two wins, and a claim that loses goes to the newest set.
                    if (Interlocked.CompareExchange(ref cell.Version, ClosedVersion, 0) is not (0 or ClosedVersion))
                        isEmpty &=
                            Interlocked.CompareExchange(ref cell.Time, Record.Closed, Record.Drained) is Record.Drained or Record.Closed;
                }
            }
            return isEmpty;
        }

        private static Cell[] MakeClosedPart()
        {
            var part = new Cell[PartCells];
            Array.Fill(part, new Cell { Version = ClosedVersion });
            return part;
        }

        private ref Cell[]? PartAt(int number) => ref _parts[(number & (Length - 1)) / PartCells];

        private Cell[]? PartOf(int number) => Volatile.Read(ref PartAt(number));

        private Cell[] MakePart(int number, Cell[] made) => Interlocked.CompareExchange(ref PartAt(number), made, null) ?? made;
    }

    /// <summary>
    /// Enumerates the records of one entry in all sets. Probing ends at the first free cell: nothing is recorded behind it.
    /// </summary>
    private struct EntryRecords(Set newest, ulong version)
    {
        private readonly int _first = Set.FirstOf(version); // of the window
        private Set? _set = newest; // the one that is searched; null at the end
        private int _way = -1; // in the window

        public readonly Record Current => new(_set!, _first + _way);

        public readonly EntryRecords GetEnumerator() => this;

        public bool MoveNext()
        {
            for (; _set != null; _set = _set.Older, _way = -1)
            {
                while (++_way < Ways && _set.VersionAt(_first + _way) is not 0 and var there)
                {
                    if (there == version)
                        return true;
                }
            }
            return false;
        }
    }
}
