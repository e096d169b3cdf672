using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Server.Hosting;
using BigPile.Server.Tests.Support;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Tests;

public sealed class SettingsTests
{
    [Fact]
    public void The_file_of_the_working_directory_counts_over_the_one_beside_the_program()
    {
        using var directory = new TemporaryDirectory();
        File.WriteAllText(Path.Combine(directory.Root, "appsettings.json"), """{ "Pile": { "MaxBytes": "3g" } }""");
        var program = new ConfigurationBuilder().AddJsonFile(Path.Combine(AppContext.BaseDirectory, "appsettings.json"), optional: true)
            .AddInMemoryCollection(new Dictionary<string, string?> { ["Pile:SegmentBytes"] = "8m" });
        SettingsFile.AddTo(program, directory.Root);
        IConfiguration configuration = program.Build();
        Assert.Equal("3g", configuration["Pile:MaxBytes"]);
        Assert.Equal("8m", configuration["Pile:SegmentBytes"]);
    }

    [Fact]
    public void A_section_that_nobody_reads_is_refused_with_the_nearest_name()
    {
        using var directory = new TemporaryDirectory();
        File.WriteAllText(Path.Combine(directory.Root, "appsettings.json"), """{ "Piel": { "Directory": "x" } }""");
        var refusal = Assert.Throws<SettingsException>(() => SettingsFile.AddTo(new ConfigurationBuilder(), directory.Root));
        Assert.Contains("'Piel'. Did you mean 'Pile'?", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_piles_settings_reach_the_pile()
    {
        ServerSettings settings = Read(
            ("Pile:FlushSeconds", "10"), ("Pile:Warmup", "advise"), ("Pile:WarmupBytesPerSecond", "200m"), ("Pile:Checksums", "AtEveryRead"));
        Assert.Equal(TimeSpan.FromSeconds(10), settings.FlushInterval);
        Assert.Equal((PileWarmup.Advise, 200L << 20), (settings.Warmup, settings.WarmupBytesPerSecond));
        Assert.Equal(PileChecksums.AtEveryRead, settings.Checksums);
    }

    [Fact]
    public void What_is_not_set_is_as_the_library_has_it()
    {
        ServerSettings settings = Read();
        var pile = new AspNetCore.BigPileOptions();
        Assert.Equal(
            (pile.FlushInterval, pile.Warmup, pile.WarmupBytesPerSecond, pile.Checksums, pile.SegmentBytes, pile.MaxBytes),
            (settings.FlushInterval, settings.Warmup, settings.WarmupBytesPerSecond, settings.Checksums, settings.SegmentBytes, settings.MaxBytes));
    }

    private static ServerSettings Read(params (string Name, string Value)[] settings) => ServerSettings.Read(
        new ConfigurationBuilder().AddInMemoryCollection(settings.ToDictionary(static pair => pair.Name, static pair => (string?)pair.Value)).Build());

    [Theory]
    [InlineData("0", 0)]
    [InlineData("1048576", 1 << 20)]
    [InlineData("512m", 512L << 20)]
    [InlineData("64g", 64L << 30)]
    [InlineData("1 GiB", 1L << 30)]
    [InlineData("3KB", 3 << 10)]
    [InlineData("7b", 7)]
    [InlineData("2T", 2L << 40)]
    public void Sizes_are_read(string text, long bytes)
    {
        Assert.True(ByteSize.TryParse(text, out long read));
        Assert.Equal(bytes, read);
    }

    [Theory]
    [InlineData("")]
    [InlineData("m")]
    [InlineData("-1")]
    [InlineData("1.5g")]
    [InlineData("1x")]
    [InlineData("1mm")]
    [InlineData("9000000t")]
    [InlineData("99999999999999999999")]
    public void What_is_no_size_is_refused(string text) => Assert.False(ByteSize.TryParse(text, out _));
}
