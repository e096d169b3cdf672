using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace BigPile.AspNetCore.Tests;

/// <summary>Options of a pile from the configuration: what is written there counts, or keeps the host from starting.</summary>
public sealed class ConfiguredOptionsTests
{
    [Fact]
    public void Sizes_are_written_as_people_write_them_and_all_else_as_the_framework_reads_it()
    {
        BigPileOptions options = Read(
            ("MaxBytes", "8g"), ("segmentbytes", "16 MiB"), ("FlushLogBytes", "2097152"), ("WarmupBytesPerSecond", ""),
            ("Store", "Managed"), ("FlushInterval", "00:00:05"), ("HugePages", "false"), ("CodecOptions:InitializeNewMembers", "true"));
        Assert.Equal((8L << 30, 16 << 20, 2 << 20, 0), (options.MaxBytes, options.SegmentBytes, options.FlushLogBytes,
            options.WarmupBytesPerSecond));
        Assert.Equal((StoreKind.Managed, TimeSpan.FromSeconds(5), false), (options.Store, options.FlushInterval, options.HugePages));
        Assert.True(options.CodecOptions.InitializeNewMembers);
    }

    [Theory]
    [InlineData("Directry", "/data", "'BigPile:Directry'", "'BigPile:Directory'")]
    [InlineData("Zebra", "1", "'BigPile:Zebra'", "MaxBytes")]
    [InlineData("Opened", "1", "'BigPile:Opened'", "MaxBytes")]
    [InlineData("CodecOptions:MayExtendContract", "true", "'BigPile:CodecOptions:MayExtendContracts'")]
    [InlineData("MaxBytes", "8x", "'BigPile:MaxBytes'", "'8x'", "64g")]
    [InlineData("Directory:Path", "/data", "'BigPile:Directory:Path'", "'BigPile:Directory'")]
    [InlineData("CodecOptions", "all", "'BigPile:CodecOptions'", "MayExtendContracts")]
    [InlineData("HugePages", "maybe", "'BigPile:HugePages'")]
    [InlineData("FlushInterval", "5", "'BigPile:FlushInterval'", "00:00:05")]
    [InlineData("FlushInterval", "5s", "'BigPile:FlushInterval'", "00:00:05")]
    public async Task What_is_no_option_keeps_the_host_from_starting(string key, string value, params string[] named)
    {
        Exception told = await Assert.ThrowsAnyAsync<Exception>(() => TestHost.StartAsync(
            services => services.AddBigPile(Section((key, value)))));
        Assert.All(named, name => Assert.Contains(name, told.Message, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_section_that_is_not_there_keeps_the_host_from_starting()
    {
        IConfiguration configuration = new ConfigurationBuilder().AddInMemoryCollection([new("BigPile:Directory", "data")]).Build();
        OptionsValidationException told = await Assert.ThrowsAsync<OptionsValidationException>(() => TestHost.StartAsync(
            services => services.AddBigPile(configuration.GetSection("BigPle"))));
        Assert.Contains("no section 'BigPle'", told.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_named_pile_has_its_section_and_code_counts_more()
    {
        await using TestHost host = await TestHost.StartAsync(static services => services.AddBigPile(
            "scratch", Section(("MaxBytes", "64m"), ("SegmentBytes", "4m")), static options => options.MaxBytes = 32 << 20));
        BigPileOptions options = host.Service<IOptionsMonitor<BigPileOptions>>().Get("scratch");
        Assert.Equal((32 << 20, 4 << 20), (options.MaxBytes, options.SegmentBytes));
    }

    private static BigPileOptions Read(params (string Key, string Value)[] settings)
    {
        var services = new ServiceCollection();
        services.AddBigPile(Section(settings));
        using ServiceProvider provider = services.BuildServiceProvider();
        return provider.GetRequiredService<IOptions<BigPileOptions>>().Value;
    }

    private static IConfigurationSection Section(params (string Key, string Value)[] settings) => new ConfigurationBuilder()
        .AddInMemoryCollection(settings.ToDictionary(static pair => $"BigPile:{pair.Key}", static pair => (string?)pair.Value))
        .Build().GetSection("BigPile");
}
