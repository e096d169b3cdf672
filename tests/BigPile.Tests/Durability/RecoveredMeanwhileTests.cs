using System;
using System.Linq;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Layout;

namespace BigPile.Tests.Durability;

/// <summary>
/// Opened after a power cut, the page of an object is examined while it is read: the deletion in the file, which no flush had made
/// durable, is undone between the loads of the header and of the page info.
/// </summary>
public sealed unsafe class RecoveredMeanwhileTests : DurabilityTest
{
    private const int RunsInFront = 40; // more than the walk examines before it waits

    [CrashPointTheory]
    [InlineData(0)]
    [InlineData(3_000)]
    [InlineData(40_000)]
    public void An_object_is_found_whose_deletion_is_undone_behind_the_look_at_its_header(int lengthBytes)
    {
        Assert.True(IsFoundWhenRecoveredMeanwhile(lengthBytes));
        using var planted = new MutationScope("header-not-loaded-again");
        Assert.False(IsFoundWhenRecoveredMeanwhile(lengthBytes));
    }

    [CrashPointTheory]
    [InlineData(0)]
    [InlineData(3_000)]
    public void An_object_is_gone_whose_deletion_was_flushed(int lengthBytes)
    {
        (PilePointer pointer, _) = DeleteInPile(lengthBytes, pile => pile.Flush());
        using Pile image = OpenUnrecovered(pointer);
        Assert.False(IsReadWhenRecoveredMeanwhile(image, pointer, out _));
    }

    private bool IsFoundWhenRecoveredMeanwhile(int lengthBytes)
    {
        (PilePointer pointer, byte[] value) = DeleteInPile(lengthBytes, static _ => { });
        using Pile image = OpenUnrecovered(pointer);
        bool found = IsReadWhenRecoveredMeanwhile(image, pointer, out byte[]? read);
        Assert.True(!found || read.AsSpan().SequenceEqual(value));
        Assert.True(image.Contains(pointer)); // later everybody finds it
        return found;
    }

    private (PilePointer Pointer, byte[] Value) DeleteInPile(int lengthBytes, Action<Pile> behind)
    {
        byte[] value = [.. Enumerable.Range(1, lengthBytes).Select(static i => (byte)i)];
        using Pile pile = Open();
        for (int i = 0; i < RunsInFront; i++)
            _ = pile.Put(new byte[40_000]);
        PilePointer pointer = pile.Put(value);
        _ = pile.Put(value); // the page is not empty without it
        pile.Engine.RequestCheckpoint();
        pile.Flush(); // a checkpoint: what the log has would be put back before any page is examined
        pile.Delete(pointer);
        behind(pile);
        KilledPile.Copy(PilePath, ImagePath);
        return (pointer, value);
    }

    private Pile OpenUnrecovered(PilePointer pointer)
    {
        Pile image = OpenImage(static options => options with { WarmupBytesPerSecond = 1 });
        _ = image.Blocks.Map.Find(pointer.Address, out PageInfo* info);
        Assert.True(SegmentMap.Load(info).IsUnrecovered);
        return image;
    }

    private static bool IsReadWhenRecoveredMeanwhile(Pile image, PilePointer pointer, out byte[]? value)
    {
        bool isOver = false;
        using var hook = new CrashPointScope<CrashPoint>(point =>
        {
            if (point != CrashPoint.ReadBehindHeader || isOver)
                return;
            isOver = true;
            image.Blocks.PageRecovery!.RecoverPage(pointer.Address);
        });
        var reader = default(BytesReader);
        bool found = image.Reader.TryRead(pointer, ref reader);
        Assert.True(isOver);
        value = found ? reader.Result : null;
        return found;
    }
}
