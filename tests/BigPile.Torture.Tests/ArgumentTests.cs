using System;
using System.Threading.Tasks;

namespace BigPile.Torture.Tests;

public sealed class ArgumentTests
{
    [Theory]
    [InlineData("--target hash --kills 1 --file mmap", "--file is 'mmap'; it must be std, mmap-para, mmap-atom, pos-para, pos-atom")]
    [InlineData("--target pile --kills 1 --file std", "--file is 'std'; only a hash database has kinds of files")]
    [InlineData("--target hash --kills 1 --window PutBeforeHeader", "--window is 'PutBeforeHeader'; it must be ExtentTaken, ")]
    [InlineData("--kills 1", "--target is missing")]
    [InlineData("--target heap --kills 1", "'heap'; it must be pile, table or hash")]
    [InlineData("--target pile", "--kills is missing")]
    [InlineData("--target pile --kills 0", "--kills is '0'; it must be a number from 1 to")]
    [InlineData("--target pile --kills 1 --seed", "--seed has no value")]
    [InlineData("--target pile --kills 1 --seed -4", "--seed is '-4'; it must be a number")]
    [InlineData("--target pile --kills 1 --control none", "it must be header-first, ")]
    [InlineData("--target table --kills 1 --threads 3", "tables need an even number")]
    [InlineData("--target pile --kills 1 --kills 2", "--kills is given twice")]
    [InlineData("--target pile --kills 1 --pause off", "'--pause' is unknown")]
    [InlineData("--target pile --kills 1 --directory /", "is not empty")]
    [InlineData("--target pile --kills 1 --other-boot maybe", "--other-boot is 'maybe'; it must be on, off")]
    [InlineData("--target pile --kills 1 --window TagBetweenMarks", "--window is 'TagBetweenMarks'; it must be PutHalfOfPayload, ")]
    [InlineData("work", "for the torture's own children")]
    public async Task Bad_arguments_are_refused_with_a_sentence(string arguments, string part)
    {
        TortureProcess run = await TortureProcess.RunAsync(arguments);
        Assert.Equal(2, run.ExitCode);
        Assert.Equal("", run.Output);
        Assert.Contains(part, run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", run.Error, StringComparison.Ordinal);
    }
}
