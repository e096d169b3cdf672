using System;
using System.IO;

namespace BigPile.Tests.Durability;

/// <summary>A flush log that the disk has damaged: what was flushed is not lost in silence.</summary>
public sealed class FlushLogDamageTests : DurabilityTest
{
    private const int Flushes = 4;
    private const int SectorBytes = 512;

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void A_batch_that_is_damaged_with_a_whole_one_behind_it_is_a_fault(int damaged)
    {
        var ends = new int[Flushes];
        using (Pile pile = Open())
        {
            for (int flush = 0; flush < Flushes; flush++)
            {
                pile.Put(new byte[3_000]);
                pile.Flush();
                ends[flush] = (int)DurableFiles.LogBytes(PilePath);
            }
            Files.Build(ImagePath);
        }
        byte[] log = Log(ImagePath);
        log.AsSpan(damaged == 0 ? 0 : ends[damaged - 1], SectorBytes).Clear();
        File.WriteAllBytes(Path.Combine(ImagePath, "log-0"), log);

        Superblocks.Change(ImagePath, static state => state.BootId = FirstBoot); // another start than the present one
        PileVerification verification = Pile.VerifyDirectory(ImagePath);
        Assert.Contains(verification.Faults, static fault => fault.What.Contains("a whole one follows", StringComparison.Ordinal));
        using Pile opened = OpenImage();
        opened.Recovery.Completion.Wait();
        Assert.Contains(opened.Recovery.Faults, static fault => fault.What.Contains("a whole one follows", StringComparison.Ordinal));
    }

    private static byte[] Log(string directory) => PileFiles.ReadShared(Path.Combine(directory, "log-0"));
}
