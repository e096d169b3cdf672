using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile;

/// <summary>The one way in which every payload is read.</summary>
/// <remarks>
/// A read takes no lock and writes nothing shared. It loads the header, checks that the pointer's generation is in it and that the
/// address is a slot of its page, lets the reader copy the payload, and then looks at everything again. In order:
/// <list type="number">
/// <item>sequence of the address's stripe (acquire), even;</item>
/// <item>header (acquire): live, of the pointer's generation; busy: start over;</item>
/// <item>page info, behind the header's load: a page that changes its slot size is taken from readers before its slots are laid out, so
/// whoever saw bytes of the new layout in the header sees the new info as well;</item>
/// <item>of a link: the target's header, info and back word likewise;</item>
/// <item>the copy;</item>
/// <item>a read barrier, which pairs with the writers' releases;</item>
/// <item>header, info and sequence again. Any difference: start over.</item>
/// </list>
/// A reader that is handed a payload may see bytes that are being changed. It must not follow or trust them, only copy.
/// </remarks>
public sealed unsafe partial class Pile
{
    // A writer that moves a payload is done long before; what still does not fit then is damage.
    private const int MaxLooksAtLink = 10_000;

    /// <summary>Copies a payload to where it is wanted.</summary>
    internal interface IPayloadReader
    {
        /// <summary>Copies; may be called again when the payload changed meanwhile, and the last call counts.</summary>
        void Read(byte* payload, long lengthBytes, BlockKind kind);
    }

    /// <summary>Which of the checks a read makes: all of them. Tests leave one out, and must notice.</summary>
    internal interface IReadChecks
    {
        /// <summary>Whether the address must be the start of a slot.</summary>
        static abstract bool Slot { get; }

        /// <summary>Whether the header must be the same behind the copy.</summary>
        static abstract bool HeaderAgain { get; }

        /// <summary>Whether no replacement may have come between.</summary>
        static abstract bool Sequence { get; }
    }

    /// <summary>Reads the payload that a pointer names.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryRead<TReader>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct =>
        TryRead<TReader, AllChecks>(pointer, ref reader);

    /// <summary>Reads the payload that a pointer names, with the checks of a type.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryRead<TReader, TChecks>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, IReadChecks
    {
        ThreadPresence presence = Enter();
        try
        {
            return TryReadInside<TReader, TChecks>(pointer, ref reader);
        }
        finally
        {
            Exit(presence);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryReadInside<TReader, TChecks>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, IReadChecks
    {
        if (!pointer.IsValid)
            return false;
        ulong address = pointer.Address;
        Stripes.Stripe* stripe = _stripes.Of(address);
        var spinner = default(SpinWait);
        while (true)
        {
            ulong sequence = stripe->Sequence;
            byte* block = _map.Find(address, out PageInfo* infoAt);
            if (block == null)
                return IsReadOnly && TryReadShared<TReader, TChecks>(pointer, ref reader); // whoever only reads has no map
            var header = new BlockHeader(Volatile.Read(ref *(ulong*)block));
            PageInfo info = SegmentMap.Load(infoAt);
            if (header.Generation != pointer.Generation || !header.IsAddressable || (TChecks.Slot && !info.HasSlotAt(address)))
            {
                if (!info.IsUnexamined)
                    return false;
                _examiner!.Examine(address);
                continue;
            }
            if (!TChecks.Sequence || ((sequence & 1) == 0 && !header.IsBusy))
            {
                bool whole = true;
                if (header.Kind != BlockKind.Link)
                    reader.Read(block + BlockHeader.SizeBytes, header.PayloadBytes, header.Kind);
                else
                    whole = TryReadTarget(address, header, ref reader);
                Volatile.ReadBarrier();
                bool isSame = !TChecks.HeaderAgain || (*(ulong*)block == header.Word && infoAt->Word == info.Word);
                bool isQuiet = !TChecks.Sequence || stripe->Sequence == sequence;
                if (whole && isSame && isQuiet && (!_checksEveryRead || IsIntact(address, block, header, info, infoAt, stripe, sequence)))
                    return true;
                if (!whole && isSame && isQuiet && spinner.Count > MaxLooksAtLink)
                    Throw.DanglingLink(pointer);
            }
            else if (TChecks.Sequence && (sequence & 1) == 0 && _moved != null
                && TryReadMoved(pointer, block, header, ref reader, out bool isLive)
                && infoAt->Word == info.Word && stripe->Sequence == sequence)
            {
                return isLive;
            }
            spinner.SpinOnce(sleep1Threshold: -1);
        }
    }

    /// <summary>Reads what is at the far end of a link; <see langword="false"/> when it was moved meanwhile.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReadTarget<TReader>(ulong originAddress, BlockHeader origin, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        ulong address = origin.TargetAddress;
        byte* block = _map.Find(address, out PageInfo* infoAt);
        if (block == null)
            return false;
        var header = new BlockHeader(Volatile.Read(ref *(ulong*)block));
        PageInfo info = SegmentMap.Load(infoAt);
        if (header.Kind != BlockKind.LinkTarget || !info.HasSlotAt(address))
        {
            _ = IsExaminedNow(info, address);
            return false;
        }
        var back = new BackWord(*(ulong*)(block + BlockHeader.SizeBytes));
        if (back.OriginAddress != originAddress)
            return false;
        reader.Read(block + BlockHeader.SizeBytes + BackWord.SizeBytes, header.PayloadBytes - BackWord.SizeBytes, back.Kind);
        Volatile.ReadBarrier();
        return *(ulong*)block == header.Word && infoAt->Word == info.Word;
    }

    private readonly struct AllChecks : IReadChecks
    {
        public static bool Slot => true;

        public static bool HeaderAgain => true;

        public static bool Sequence => true;
    }
}
