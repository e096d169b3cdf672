using System;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Caching.Tables;

/// <summary>What the read buffer consists of.</summary>
internal sealed partial class ReadBuffer
{
    private struct Place
    {
        internal ulong Version; // of the note, or of one before
        internal Note? Note;
    }

    /// <summary>What was noted of an entry. Once it is an end, or taken, it stays so.</summary>
    internal sealed class Note(ulong version, ulong hash, long time)
    {
        /// <summary>The time of an entry that is no more.</summary>
        internal const long End = -1;

        /// <summary>The time of a note that was taken, or is none.</summary>
        internal const long Taken = -2;

        private long _time = time;

        internal ulong Version { get; } = version;

        internal ulong Hash { get; } = hash;

        /// <summary>When the entry was used last; 0: that is about to be stated.</summary>
        internal long Time => Volatile.Read(ref _time);

        internal bool TryExchange(long from, long to) => Interlocked.CompareExchange(ref _time, to, from) == from;
    }

    /// <summary>A number of places, a power of two. Those of a large set are made in parts as notes come to them: no read waits for all.</summary>
    internal sealed class Set
    {
        private const int PartPlaces = 4_096; // 64 KiB: what is larger goes to the heap of large objects, and a lock with it

        private static readonly Place[] SealedPart = MakeSealed();

        private readonly Place[]?[] _parts;
        private readonly int _partMask;
        private Set? _older;

        internal Set(int length, Set? older)
        {
            Debug.Assert(int.IsPow2(length), "Places are numbered by masks.");
            Length = length;
            int partPlaces = Math.Min(length, PartPlaces);
            _partMask = partPlaces - 1;
            _parts = new Place[length / partPlaces][];
            if (_parts.Length == 1)
                _parts[0] = new Place[partPlaces];
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

        /// <summary>What is at a place.</summary>
        internal Note? At(int number) => PartOf(number) is { } part ? Volatile.Read(ref part[number & _partMask].Note) : null;

        /// <summary>The note of an entry, if it is at a place.</summary>
        internal Note? Find(int number, ulong version)
        {
            if (PartOf(number) is not { } part)
                return null;
            ref Place place = ref part[number & _partMask];
            return Volatile.Read(ref place.Version) == version && Volatile.Read(ref place.Note) is { } note && note.Version == version
                ? note
                : null;
        }

        /// <summary>Puts a note to a place if nothing is there.</summary>
        internal bool TryPut(int number, Note note)
        {
            ref Place place = ref (PartOf(number) ?? MakePart(number, new Place[PartPlaces]))[number & _partMask];
            if (Volatile.Read(ref place.Note) != null || Interlocked.CompareExchange(ref place.Note, note, null) != null)
                return false;
            Volatile.Write(ref place.Version, note.Version);
            return true;
        }

        /// <summary>Empties a place.</summary>
        internal void Clear(int number) => Volatile.Write(ref PartOf(number)![number & _partMask].Note, null);

        /// <summary>Has nobody claim a place any more.</summary>
        /// <returns>Whether none is taken.</returns>
        internal bool TrySeal()
        {
            bool isEmpty = true;
            for (int first = 0; first < Length; first += PartPlaces)
            {
                Place[] part = PartOf(first) ?? MakePart(first, SealedPart);
                if (part == SealedPart)
                    continue;
                foreach (ref Place place in part.AsSpan())
                {
                    Note? was = Interlocked.CompareExchange(ref place.Note, Sealed, null);
                    isEmpty &= was == null || was == Sealed;
                }
            }
            return isEmpty;
        }

        private static Place[] MakeSealed()
        {
            var part = new Place[PartPlaces];
            Array.Fill(part, new Place { Note = Sealed });
            return part;
        }

        private ref Place[]? PartAt(int number) => ref _parts[(number & (Length - 1)) / PartPlaces];

        private Place[]? PartOf(int number) => Volatile.Read(ref PartAt(number));

        private Place[] MakePart(int number, Place[] made) => Interlocked.CompareExchange(ref PartAt(number), made, null) ?? made;
    }

    /// <summary>The notes of one entry, wherever they are.</summary>
    private struct EntryNotes(Set newest, ulong version)
    {
        private readonly int _first = Set.FirstOf(version);
        private Set? _set = newest;
        private int _way;

        public Note Current { get; private set; } = null!;

        public readonly EntryNotes GetEnumerator() => this;

        public bool MoveNext()
        {
            for (; _set != null; _set = _set.Older, _way = 0)
            {
                while (_way < Ways)
                {
                    if (_set.Find(_first + _way++, version) is not { } note)
                        continue;
                    Current = note;
                    return true;
                }
            }
            return false;
        }
    }
}
