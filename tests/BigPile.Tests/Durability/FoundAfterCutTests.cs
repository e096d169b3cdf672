namespace BigPile.Tests.Durability;

/// <summary>What was found after a power cut counts as flushed, though it never was: it is there until its end is flushed.</summary>
public sealed class FoundAfterCutTests : DurabilityTest
{
    [Theory]
    [InlineData(40)]
    [InlineData(100_000)]
    public void It_comes_back_when_its_deletion_was_not_flushed(int payloadBytes)
    {
        byte[] payload = new byte[payloadBytes];
        using Pile pile = Open();
        _ = pile.Put(payload); // so that the page stays
        PilePointer before = pile.Put(payload);
        pile.Flush();
        pile.Delete(before);
        pile.Flush(); // the log says that the room is free
        PilePointer found = pile.Put(payload);
        Assert.Equal(before.Address, found.Address);
        KilledPile.Copy(PilePath, ImagePath); // the device had it all by chance
        using Pile second = OpenAt(ImagePath, NextBoot, null);
        second.Recovery.Completion.Wait();
        Assert.Equal(payload, second.Get<byte[]>(found));
        second.Delete(found);
        KilledPile.Copy(ImagePath, OtherPath);
        using Pile third = OpenAt(OtherPath, FirstBoot, null);
        Assert.Equal(payload, third.Get<byte[]>(found));
    }
}
