using System;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Caching.Tables;

/// <summary>What the read buffer consists of.</summary>
internal sealed partial class ReadBuffer
{
    internal struct Cell
    {
        internal ulong Version;
        internal ulong Hash;
        internal long Time;
    }

    /// <summary>What was noted of an entry: a place, which is that entry's as long as there is the set.</summary>
    internal readonly record struct Record(Set Set, int Number)
    {
        /// <summary>The time of an entry that is no more.</summary>
        internal const long End = -1;

        /// <summary>The time of a note that was taken, or is none; the entry may be noted here again.</summary>
        internal const long Drained = -2;

        /// <summary>The time of a note that was taken from a set that goes.</summary>
        internal const long Closed = -3;

        /// <summary>The time of a note whose time is about to be stated.</summary>
        internal const long Pending = -4;

        /// <summary>The bit of a time that says that its renewal is being written, which reaches further than the use.</summary>
        internal const long Ahead = 1;

        internal ulong Version => Set.At(Number).Version;

        internal ulong Hash => Set.At(Number).Hash;

        /// <summary>When the entry was used last, or one of the numbers above; 0: the place is being claimed.</summary>
        internal long Time => Volatile.Read(ref Set.At(Number).Time);

        internal bool TryExchange(long from, long to) => Interlocked.CompareExchange(ref Set.At(Number).Time, to, from) == from;
    }

    /// <summary>
    /// A number of places, a power of two. Those of a large set are made in parts as notes come to them: no read waits for all.
    /// </summary>
    internal sealed class Set
    {
        private const int PartCells = 4_096; // on the heap of large objects, where nothing is moved; they have no references
        private const ulong ClosedVersion = ulong.MaxValue;

        private static readonly Cell[] ClosedPart = MakeClosedPart();

        private readonly Cell[]?[] _parts;
        private readonly int _partMask;
        private Set? _older;

        internal Set(int length, Set? older)
        {
            Debug.Assert(int.IsPow2(length), "Places are numbered by masks.");
            Length = length;
            int partCells = Math.Min(length, PartCells);
            _partMask = partCells - 1;
            _parts = new Cell[length / partCells][];
            if (_parts.Length == 1)
                _parts[0] = new Cell[partCells];
            _older = older;
        }

        /// <summary>How many places there are.</summary>
        internal int Length { get; }

        internal Set? Older
        {
            get => Volatile.Read(ref _older);
            set => Volatile.Write(ref _older, value);
        }

        // Mixed twice: versions are milliseconds and a count, and one multiplication leaves patterns of both, which fill a window.
        internal static int FirstOf(ulong version)
        {
            const ulong golden = 0x9E3779B97F4A7C15;
            ulong mixed = version * golden;
            return (int)((mixed ^ (mixed >> 32)) * golden >> 34); // so that no way behind it is below 0
        }

        /// <summary>The version whose place it is; 0 if it is nobody's, or is to be so for ever.</summary>
        internal ulong VersionAt(int number)
        {
            if (PartOf(number) is not { } part)
                return 0;
            ulong version = Volatile.Read(ref part[number & _partMask].Version);
            return version == ClosedVersion ? 0 : version;
        }

        /// <summary>
        /// Takes a place of an entry whose note was taken, or the first one that is nobody's; it is <see cref="Record.Pending"/> then.
        /// </summary>
        /// <returns><see langword="false"/> if there is none, or the set goes.</returns>
        internal bool TryClaim(ulong version, ulong hash, int ways, out int number)
        {
            number = FirstOf(version);
            for (int end = number + ways; number < end; number++)
            {
                ref Cell cell = ref (PartOf(number) ?? MakePart(number, new Cell[PartCells]))[number & _partMask];
                ulong was = Volatile.Read(ref cell.Version);
                if (was == 0)
                    was = Interlocked.CompareExchange(ref cell.Version, version, 0);
                if (was == ClosedVersion) // nothing comes behind it: who looks for a note goes no further
                    return false;
                if (was == version && Interlocked.CompareExchange(ref cell.Time, Record.Pending, Record.Drained) == Record.Drained)
                    return true;
                if (was != 0)
                    continue;
                cell.Hash = hash;
                Volatile.Write(ref cell.Time, Record.Pending);
                return true;
            }
            return false;
        }

        /// <summary>A place that is somebody's.</summary>
        internal ref Cell At(int number) => ref PartOf(number)![number & _partMask];

        /// <summary>Has nobody claim a place any more, or note again what was taken.</summary>
        /// <returns>Whether nothing is left.</returns>
        internal bool TryClose()
        {
            bool isEmpty = true;
            for (int first = 0; first < Length; first += PartCells)
            {
                Cell[] part = PartOf(first) ?? MakePart(first, ClosedPart);
                if (part == ClosedPart)
                    continue;
                foreach (ref Cell cell in part.AsSpan())
                {
                    if (Interlocked.CompareExchange(ref cell.Version, ClosedVersion, 0) is not (0 or ClosedVersion))
                        isEmpty &= Interlocked.CompareExchange(ref cell.Time, Record.Closed, Record.Drained) is Record.Drained or Record.Closed;
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

    /// <summary>The notes of one entry, wherever they are: none lies behind a place that is nobody's.</summary>
    private struct EntryRecords(Set newest, ulong version)
    {
        private readonly int _first = Set.FirstOf(version);
        private Set? _set = newest;
        private int _way = -1;

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
