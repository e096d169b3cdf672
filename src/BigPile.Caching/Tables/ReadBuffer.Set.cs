using System;
using System.Threading;

namespace BigPile.Caching.Tables;

/// <summary>What the read buffer consists of.</summary>
internal sealed partial class ReadBuffer
{
    internal struct Place
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

    internal sealed class Set(int places, Set? older)
    {
        private Set? _older = older;

        internal Place[] Places { get; } = new Place[places];

        internal Set? Older
        {
            get => Volatile.Read(ref _older);
            set => Volatile.Write(ref _older, value);
        }

        internal ref Place At(int number) => ref Places[number & (Places.Length - 1)];

        // Mixed twice: versions are milliseconds and a count, and one multiplication leaves patterns of both, which fill a window.
        internal static int FirstOf(ulong version)
        {
            const ulong golden = 0x9E3779B97F4A7C15;
            ulong mixed = version * golden;
            return (int)((mixed ^ (mixed >> 32)) * golden >> 34); // so that no way behind it is below 0
        }

        /// <summary>The note of an entry, if it is at one of the places that it may have.</summary>
        internal Note? Find(ulong version, int way)
        {
            ref Place place = ref At(FirstOf(version) + way);
            return Volatile.Read(ref place.Version) == version && Volatile.Read(ref place.Note) is { } note && note.Version == version
                ? note
                : null;
        }

        /// <summary>Has nobody claim a place any more.</summary>
        /// <returns>Whether none is taken.</returns>
        internal bool TrySeal(Note with)
        {
            bool isEmpty = true;
            foreach (ref Place place in Places.AsSpan())
            {
                Note? was = Interlocked.CompareExchange(ref place.Note, with, null);
                isEmpty &= was == null || was == with;
            }
            return isEmpty;
        }
    }
}
