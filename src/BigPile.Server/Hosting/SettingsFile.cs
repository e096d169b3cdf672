using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.Json;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.FileProviders.Physical;

namespace BigPile.Server.Hosting;

/// <summary>The settings files: the program's own, overridden by the one in the working directory.</summary>
internal static class SettingsFile
{
    private const string Name = "appsettings.json";

    /// <summary>The settings of the files and the environment, for commands that start no server.</summary>
    internal static IConfiguration Read() => AddFiles(new ConfigurationBuilder(), Directory.GetCurrentDirectory())
        .AddEnvironmentVariables("ASPNETCORE_")
        .AddEnvironmentVariables()
        .Build();

    /// <summary>Adds the file of the working directory: above the program's own file, below the environment.</summary>
    /// <param name="configuration">The configuration; the file is inserted after its last settings file.</param>
    /// <param name="workingDirectory">The working directory.</param>
    /// <exception cref="SettingsException">A file has a section that nothing reads.</exception>
    internal static void AddTo(IConfigurationBuilder configuration, string workingDirectory)
    {
        KnownSettings.CheckSections(AddFiles(new ConfigurationBuilder(), workingDirectory).Build());
        string path = PathIn(workingDirectory);
        if (path == PathIn(AppContext.BaseDirectory))
            return;
        IList<IConfigurationSource> sources = configuration.Sources;
        IConfigurationSource? last = sources.LastOrDefault(static source => source is JsonConfigurationSource);
        var own = new JsonConfigurationSource { Path = path, Optional = true };
        own.ResolveFileProvider();
        sources.Insert(last == null ? 0 : sources.IndexOf(last) + 1, own);
    }

    /// <summary>Adds the file with keys that the setting <c>Security:KeysPath</c> names, if any.</summary>
    /// <exception cref="SettingsException">The file does not exist, or has no keys.</exception>
    internal static void AddKeysTo(ConfigurationManager configuration)
    {
        if (Setting.Text(configuration, "Security:KeysPath") is not { } path)
            return;
        path = Path.GetFullPath(path);
        if (!File.Exists(path))
            throw SettingsException.Of("Security:KeysPath", path, "be a file with the section Security:Keys, such as an appsettings.json");
        // Without the default filters, which treat hidden files as missing.
        var files = new PhysicalFileProvider(Path.GetDirectoryName(path)!, ExclusionFilters.None);
        var keys = new JsonConfigurationSource { FileProvider = files, Path = Path.GetFileName(path), Optional = true };
        ((IConfigurationBuilder)configuration).Sources.Insert(0, keys);
        if (!((IConfigurationRoot)configuration).Providers.First().GetChildKeys([], "Security:Keys").Any())
        {
            throw new SettingsException(
                $"The file '{path}' of 'Security:KeysPath' has no keys in 'Security:Keys', and all would be let in.");
        }
    }

    private static string PathIn(string directory) => Path.GetFullPath(Path.Combine(directory, Name));

    private static IConfigurationBuilder AddFiles(IConfigurationBuilder configuration, string workingDirectory) => configuration
        .AddJsonFile(PathIn(AppContext.BaseDirectory), optional: true)
        .AddJsonFile(PathIn(workingDirectory), optional: true);
}
