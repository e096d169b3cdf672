using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

namespace BigPile.Layout;

/// <summary>The states of a block's header, which of them may follow which, and the stores that change them.</summary>
/// <remarks>
/// The table is that of a pile at work, for a block's own header and for its shadow header. Recovery stores what it finds right over
/// whatever a kill or a power cut left.
/// <code>
/// from            to
/// free            object, target, entry (a put); free (abandoned; laid out anew)
/// undoable free   free (a flush made it final); undoable free (another epoch)
/// object          busy; free, undoable free
/// busy object     object (replaced in place, or given up), link (moved), busy (a part is written); free, undoable free
/// link            busy; free
/// busy link       link (relinked, or given up), object (its payload came back), busy (a shadow header is installed, a newer one stays);
///                 free, undoable free (the flushed state was an object)
/// target          target (written in place); free, undoable free
/// entry           free, undoable free
/// </code>
/// A block keeps its generation while it lives; who frees it raises it by one; a free slot's never falls.
/// </remarks>
internal static unsafe class BlockTransitions
{
    private static readonly byte[] NextStates = // by state, a bit for each state that may follow
    [
        Bits(BlockState.Object, BlockState.Target, BlockState.Entry, BlockState.Free),
        Bits(BlockState.Free, BlockState.UndoableFree),
        Bits(BlockState.BusyObject, BlockState.Free, BlockState.UndoableFree),
        Bits(BlockState.Object, BlockState.Link, BlockState.BusyObject, BlockState.BusyLink, BlockState.Free, BlockState.UndoableFree),
        Bits(BlockState.BusyLink, BlockState.Free),
        Bits(BlockState.Link, BlockState.Object, BlockState.BusyLink, BlockState.BusyObject, BlockState.Free, BlockState.UndoableFree),
        Bits(BlockState.Target, BlockState.Free, BlockState.UndoableFree),
        Bits(BlockState.Free, BlockState.UndoableFree),
    ];

    internal static BlockState StateOf(BlockHeader header) => header.Kind switch
    {
        BlockKind.Free => header.IsBusy ? BlockState.UndoableFree : BlockState.Free,
        BlockKind.Link => header.IsBusy ? BlockState.BusyLink : BlockState.Link,
        BlockKind.LinkTarget => BlockState.Target,
        BlockKind.TableEntry => BlockState.Entry,
        _ => header.IsBusy ? BlockState.BusyObject : BlockState.Object,
    };

    /// <summary>Whether one header may follow another; for assertions.</summary>
    internal static bool IsLegal(BlockHeader from, BlockHeader to)
    {
        bool mayFollow = (NextStates[(int)StateOf(from)] >> (int)StateOf(to) & 1) != 0;
        bool isGenerationRight = from.IsFree ? to.Generation >= from.Generation
            : to.IsFree ? to.Generation == from.Freed.Generation
            : to.Generation == from.Generation;
        return mayFollow && isGenerationRight;
    }

    /// <summary>Stores a header with release semantics: after everything that it publishes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Store(ulong* word, BlockHeader header)
    {
        AssertLegal(new BlockHeader(*word), header);
        Volatile.Write(ref *word, header.Word);
    }

    /// <summary>Stores a header if the word is the expected one; a full fence.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TrySwap(ulong* word, BlockHeader expected, BlockHeader header)
    {
        AssertLegal(expected, header);
        return Interlocked.CompareExchange(ref *word, header.Word, expected.Word) == expected.Word;
    }

    /// <summary>The assertion that one header may follow another.</summary>
    [Conditional("DEBUG")]
    private static void AssertLegal(BlockHeader from, BlockHeader to) => Debug.Assert(
        IsLegal(from, to), $"{StateOf(from)} of generation {from.Generation} becomes {StateOf(to)} of generation {to.Generation}.");

    private static byte Bits(params BlockState[] states)
    {
        int bits = 0;
        foreach (BlockState state in states)
            bits |= 1 << (int)state;
        return (byte)bits;
    }
}

/// <summary>What a block's header says of its slot. <see cref="BlockTransitions"/> has what may follow what.</summary>
internal enum BlockState
{
    /// <summary>No block.</summary>
    Free,

    /// <summary>No block; a power cut brings back the one that was there.</summary>
    UndoableFree,

    /// <summary>An application's object with its own payload.</summary>
    Object,

    /// <summary>An object that one thread changes or leases, or that has a shadow header.</summary>
    BusyObject,

    /// <summary>An object whose payload lies in another block.</summary>
    Link,

    /// <summary>A link that one thread changes or leases, or that has a shadow header.</summary>
    BusyLink,

    /// <summary>The block that a link leads to. Who changes it has made the link busy.</summary>
    Target,

    /// <summary>A table's entry. Who changes it holds its bucket's lock.</summary>
    Entry,
}
