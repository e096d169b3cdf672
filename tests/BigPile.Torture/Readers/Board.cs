using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Torture.Readers;

/// <summary>What the processes of a run tell each other: pointers, counts, and when to end.</summary>
internal sealed unsafe class Board : IDisposable
{
    internal const int MaxReaders = 16;
    internal const int Objects = CodeWord.MaxObjects;

    private readonly MappedRegion _region;

    private Board(MappedRegion region) => _region = region;

    internal BoardHead* Head => (BoardHead*)_region.Start;

    private ReaderRecord* Records => (ReaderRecord*)(Head + 1);

    private ulong* Pointers => (ulong*)(Records + MaxReaders);

    private static long LengthBytes => sizeof(BoardHead) + MaxReaders * sizeof(ReaderRecord) + Objects * sizeof(ulong);

    internal static string PathIn(string directory) => Path.Combine(directory, "board");

    internal static string PilePathIn(string directory) => Path.Combine(directory, "pile");

    internal static Board Create(string directory) => new(MappedRegion.Create(PathIn(directory), LengthBytes));

    internal static Board Open(string directory) => new(MappedRegion.Open(PathIn(directory), LengthBytes));

    internal ReaderRecord* RecordAt(int reader) => Records + reader;

    internal PilePointer PointerOf(int index) => PilePointer.FromUInt64(Volatile.Read(ref Pointers[index]));

    internal void SetPointer(int index, PilePointer pointer) => Volatile.Write(ref Pointers[index], pointer.ToUInt64());

    internal void CopyPointers(Span<ulong> to) => new Span<ulong>(Pointers, Objects).CopyTo(to);

    /// <summary>How the pile is opened by all.</summary>
    internal PileOptions Options => new() { Shared = Head->IsShared != 0 };

    internal bool IsOver => Volatile.Read(ref Head->IsOver) != 0;

    internal void End() => Volatile.Write(ref Head->IsOver, 1);

    public void Dispose() => _region.Dispose();
}

/// <summary>What concerns all.</summary>
[StructLayout(LayoutKind.Sequential, Size = 128)]
internal struct BoardHead
{
    internal int IsOver;

    /// <summary>Whether every object was put.</summary>
    internal int IsReady;

    /// <summary>Whether the pile is a shared one.</summary>
    internal int IsShared;

    /// <summary>Changes that the writers made, those of killed ones included.</summary>
    internal long Changes;

    /// <summary>Calls of a writer that ended otherwise than they should.</summary>
    internal long WriterFaults;

    /// <summary>The window that a thread of the writer waits in.</summary>
    internal int Point;
}

/// <summary>What a reader counted. Only the reader itself writes it.</summary>
[StructLayout(LayoutKind.Sequential, Size = 128)]
internal struct ReaderRecord
{
    internal long Reads;

    /// <summary>Reads of a pointer that had been deleted, and was replaced on the board.</summary>
    internal long Gone;

    /// <summary>Values that were not whole, of another object, or older than one read before.</summary>
    internal long Mixtures;

    /// <summary>Sound objects that were said to be damaged, or not to be there.</summary>
    internal long Refused;

    /// <summary>Objects that could not be read because their writer did not end.</summary>
    internal long Busy;

    /// <summary>Walks over everything.</summary>
    internal long Walks;

    /// <summary>Entries of tables that were read in walks.</summary>
    internal long Entries;
}
