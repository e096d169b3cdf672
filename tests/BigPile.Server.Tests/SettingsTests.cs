using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using BigPile.AspNetCore;
using BigPile.Server.Hosting;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Tests;

public sealed class SettingsTests
{
    [Fact]
    public void The_file_of_the_working_directory_counts_over_the_one_beside_the_program()
    {
        using var directory = new TemporaryDirectory();
        File.WriteAllText(Path.Combine(directory.Path, "appsettings.json"), """{ "Pile": { "MaxBytes": "3g" } }""");
        var program = new ConfigurationBuilder().AddJsonFile(Path.Combine(AppContext.BaseDirectory, "appsettings.json"), optional: true)
            .AddInMemoryCollection(new Dictionary<string, string?> { ["Pile:SegmentBytes"] = "8m" });
        SettingsFile.AddTo(program, directory.Path);
        IConfigurationRoot configuration = program.Build();
        Assert.Equal("3g", configuration["Pile:MaxBytes"]);
        Assert.Equal("8m", configuration["Pile:SegmentBytes"]);
    }

    [Fact]
    public void A_section_that_nobody_reads_is_refused_with_the_nearest_name()
    {
        using var directory = new TemporaryDirectory();
        File.WriteAllText(Path.Combine(directory.Path, "appsettings.json"), """{ "Piel": { "Directory": "x" } }""");
        var refusal = Assert.Throws<SettingsException>(() => SettingsFile.AddTo(new ConfigurationBuilder(), directory.Path));
        Assert.Contains("'Piel'. Did you mean 'Pile'?", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_piles_settings_are_read()
    {
        PileSettings pile = Read(
            ("Pile:FlushSeconds", "604800"), ("Pile:Warmup", "advise"), ("Pile:WarmupBytesPerSecond", "200m"),
            ("Pile:Checksums", "AtEveryRead"), ("Pile:FlushLogBytes", "1g"), ("Pile:Name", "n"), ("Pile:Store", "managed"),
            ("Pile:CreateDirectory", "false"), ("Pile:HugePages", "false"), ("Pile:IndexDirectory", "/dev/shm"),
            ("Pile:SpillDirectory", "/var/spill"), ("Pile:OpenSeconds", "90")).Pile;
        Assert.Equal(TimeSpan.FromSeconds(90), pile.OpenTimeout);
        Assert.Equal("/dev/shm", pile.IndexDirectory);
        Assert.Equal("/var/spill", pile.SpillDirectory);
        Assert.Equal((TimeSpan.FromDays(7), 1L << 30), (pile.FlushInterval, pile.FlushLogBytes));
        Assert.Equal((PileWarmup.Advise, 200L << 20), (pile.Warmup, pile.WarmupBytesPerSecond));
        Assert.Equal(PileChecksums.AtEveryRead, pile.Checksums);
        Assert.Equal(("n", StoreKind.Managed, false, false), (pile.Name, pile.Store, pile.CreateDirectory, pile.HugePages));
    }

    [Theory]
    [InlineData("8g", 8L << 30, null)]
    [InlineData("25 %", null, 0.25)]
    [InlineData("", null, null)]
    public void A_limit_is_a_size_or_in_memory_a_percentage(string text, long? maxBytes, double? memoryShare)
    {
        foreach ((string name, string value) in new[] { ("Pile:Store", "Native"), ("Pile:Shared", "true") })
        {
            PileSettings pile = Read(("Pile:MaxBytes", text), (name, value)).Pile;
            var applied = new BigPileOptions();
            pile.ApplyTo(applied);
            Assert.Equal((maxBytes, memoryShare), (applied.MaxBytes, applied.MemoryShare));
        }
    }

    [Fact]
    public void A_shared_pile_has_a_name_or_a_path()
    {
        Assert.Equal("orders", Read(("Pile:Shared", "true"), ("Pile:Directory", "orders")).Pile.Directory);
        PileSettings pile = Read(("Pile:Shared", "true"), ("Pile:Directory", "./orders")).Pile;
        Assert.Equal((true, Path.GetFullPath("orders")), (pile.Shared, pile.Directory));
        var applied = new BigPileOptions();
        pile.ApplyTo(applied);
        Assert.True(applied.Shared);
    }

    [Theory]
    [InlineData("Pile:FlushSeconds", "5", "'Pile:FlushSeconds' is '5'; it must be left out with Pile:Shared: such a pile is not flushed")]
    [InlineData("Pile:Store", "Native", "'Pile:Store' is 'Native'; it must be Mapped with Pile:Shared")]
    public void A_shared_pile_is_refused_what_it_cannot_have(string name, string value, string message) =>
        Assert.Contains(message, Assert.Throws<SettingsException>(() => Read(("Pile:Shared", "true"), (name, value))).Message,
            StringComparison.Ordinal);

    [Fact]
    public void What_is_not_set_is_as_the_library_has_it()
    {
        var untouched = new BigPileOptions();
        var applied = new BigPileOptions();
        Read().Pile.ApplyTo(applied);
        Assert.NotNull(applied.Directory); // the server's pile is in files unless it is said
        applied.Directory = null;
        applied.Store = untouched.Store;
        foreach (PropertyInfo option in typeof(BigPileOptions).GetProperties().Where(static option => option.Name != "CodecOptions"))
            Assert.Equal((option.Name, option.GetValue(untouched)), (option.Name, option.GetValue(applied)));
    }

    /// <summary>The server keeps bytes: it needs no codec.</summary>
    [Fact]
    public void Every_option_of_a_pile_but_its_codecs_is_a_setting()
    {
        string[] settings = [.. typeof(PileSettings).GetProperties(BindingFlags.Instance | BindingFlags.NonPublic)
            .Select(static setting => setting.Name)];
        string[] notInSettings = ["Codec", "CodecOptions", "ReadOnly", "TimeProvider", "Logger", "MeterFactory", "OpenStop"];
        Assert.Equal(
            notInSettings.Order(), typeof(PileOptions).GetProperties(BindingFlags.Instance | BindingFlags.Public)
                .Select(static option => option.Name).Except(settings).Order());
    }

    [Fact]
    public void The_bounds_are_the_piles() => Assert.Equal(
        (PileOptions.MinSegmentBytes, PileOptions.MaxSegmentBytes, PileOptions.MinLimitBytes,
            PileOptions.MinFlushLogBytes, PileOptions.MaxFlushLogBytes,
            PileOptions.MaxFlushInterval),
        (PileSettings.MinSegmentBytes, PileSettings.MaxSegmentBytes, PileSettings.MinPileBytes, PileSettings.MinFlushLogBytes,
            PileSettings.MaxFlushLogBytes, PileSettings.MaxFlushInterval));

    [Theory]
    [InlineData("Security:Keys", "sha256:abcdefghijk", "'Security:Keys' is 'sha2…'; it must be a list, such as Security:Keys:0:Name=shop")]
    [InlineData(
        "Security:Keys:0", "sha256:abcdefghijk", "'Security:Keys:0' is 'sha2…'; it must have parts, such as Security:Keys:0:Name=shop")]
    [InlineData("Security:Keys:0:Name:0", "shop", "'Security:Keys:0:Name' has the part 'Security:Keys:0:Name:0'; it must be one value")]
    [InlineData(
        "Security:Keys:0:Scopes:0:X", "read", "'Security:Keys:0:Scopes:0' has the part 'Security:Keys:0:Scopes:0:X'; it must be one value")]
    [InlineData("Security:Hosts:0:Name", "x", "'Security:Hosts:0' has the part 'Security:Hosts:0:Name'")]
    [InlineData("Security:AllowWithoutKeys:0", "true", "'Security:AllowWithoutKeys' has the part")]
    [InlineData(
        "Pile:MaxBytes:Value", "1g", "'Pile:MaxBytes' has the part 'Pile:MaxBytes:Value'; it must be one value, such as --Pile:MaxBytes=…")]
    [InlineData("Tls:Password:0", "secret", "'Tls:Password' has the part")]
    [InlineData("urls:0", "http://127.0.0.1:1", "'urls' has the part 'urls:0'; it must be one value")]
    [InlineData("AllowedHosts:0", "x", "'AllowedHosts' has the part")]
    [InlineData("Kestrel:Endpoints", "http://127.0.0.1:1",
        "'Kestrel:Endpoints' is 'http…'; it must have parts, such as Kestrel:Endpoints:Main:Url=")]
    [InlineData("Kestrel:Endpoints:A", "http://127.0.0.1:1", "'Kestrel:Endpoints:A' is 'http…'; it must have parts")]
    public void A_setting_of_the_wrong_form_is_refused(string name, string value, string message)
    {
        IConfigurationRoot configuration = Configure((name, value));
        Assert.Contains(
            message, Assert.Throws<SettingsException>(() => SettingForms.Check(configuration)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_list_can_be_a_text_with_commas_or_have_a_part_for_each_item()
    {
        foreach (IConfigurationRoot configuration in new[]
        {
            Configure(
                ("Security:Hosts", "a, b"), ("Security:Origins", "http://a,http://b"), ("Metrics:Meters", "A,B"),
                ("Http:IgnoredHeaders", "A-A,B-B"),
                ("Security:Keys", "")),
            Configure(
                ("Security:Hosts:0", "a"), ("Security:Hosts:1", "b"), ("Security:Origins:0", "http://a"),
                ("Security:Origins:1", "http://b"),
                ("Metrics:Meters:0", "A"), ("Metrics:Meters:1", "B"), ("Http:IgnoredHeaders:0", "A-A"), ("Http:IgnoredHeaders:1", "B-B")),
        })
        {
            SettingForms.Check(configuration);
            Assert.Equal(["a", "b"], SecuritySettings.Read(configuration).Hosts);
            Assert.Equal(["http://a", "http://b"], SecuritySettings.Read(configuration).Origins);
            Assert.Equal(["A", "B"], MetricSettings.Read(configuration).Meters);
            Assert.Equal(["A-A", "B-B"], HttpSettings.Read(configuration).IgnoredHeaders);
        }
    }

    [Fact]
    public void A_section_of_a_file_that_is_one_value_is_refused()
    {
        using var directory = new TemporaryDirectory();
        File.WriteAllText(Path.Combine(directory.Path, "appsettings.json"), """{ "Pile": "./data" }""");
        var refusal = Assert.Throws<SettingsException>(() => SettingsFile.AddTo(new ConfigurationBuilder(), directory.Path));
        Assert.Contains("'Pile' is './da…'; it must have parts", refusal.Message, StringComparison.Ordinal);
    }

    private static IConfigurationRoot Configure(params (string Name, string Value)[] settings) => new ConfigurationBuilder()
        .AddInMemoryCollection(settings.ToDictionary(static pair => pair.Name, static pair => (string?)pair.Value)).Build();

    private static ServerSettings Read(params (string Name, string Value)[] settings) => ServerSettings.Read(Configure(settings));
}
