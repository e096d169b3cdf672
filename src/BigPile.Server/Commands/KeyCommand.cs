using System;
using System.CommandLine;
using System.Globalization;
using System.Linq;
using System.Text.Json;
using System.Text.Json.Nodes;
using BigPile.Http.Security;
using BigPile.Server.Hosting;

namespace BigPile.Server.Commands;

/// <summary>The command <c>key</c>: creates an API key and shows it once.</summary>
internal static class KeyCommand
{
    private static readonly JsonSerializerOptions Indented = new() { WriteIndented = true };

    internal static Command Create()
    {
        var name = new Option<string>("--name") { Description = "The key's name: who will use it.", Required = true };
        var scopes = new Option<string[]>("--scopes")
        {
            Description = "What its holder may do: some of read, write and admin.",
            Required = true,
            AllowMultipleArgumentsPerToken = true,
        };
        var tables = new Option<string[]>("--tables")
        {
            Description = "The tables that it reaches, as in orders-*; all by default.",
            AllowMultipleArgumentsPerToken = true,
        };
        var rate = new Option<double?>(
            "--requests-per-second") { Description = "How many requests it may make in a second; any number by default." };
        var command =
            new Command("key", "Makes an API key. It is shown once; the settings keep its hash only.") { name, scopes, tables, rate };
        command.SetAction(result => Run(
            result.GetRequiredValue(name), result.GetRequiredValue(scopes), result.GetValue(tables) ?? [], result.GetValue(rate),
            result.InvocationConfiguration));
        return command;
    }

    private static int Run(string name, string[] scopeWords, string[] tables, double? rate, InvocationConfiguration console)
    {
        try
        {
            if (!SecuritySettings.TryParseScopes(scopeWords, out KeyScopes scopes))
                throw new ArgumentException($"'{string.Join(' ', scopeWords)}' has a word that is none of read, write and admin.");
            BigPileKey key = BigPileKey.Create(name, scopes, out string credential) with { RequestsPerSecond = rate };
            if (tables.Length != 0)
                key = key with { Tables = [.. tables.SelectMany(static words => words.Split(',', StringSplitOptions.RemoveEmptyEntries))] };
            key.Validate();
            console.Output.WriteLine("The key, which can't be shown again:");
            console.Output.WriteLine();
            console.Output.WriteLine($"  {credential}");
            console.Output.WriteLine();
            console.Output.WriteLine(
                "Clients send it as 'Authorization: Bearer KEY' or 'X-Api-Key: KEY'. For appsettings.json, in Security:Keys:");
            console.Output.WriteLine();
            console.Output.WriteLine(FragmentOf(key));
            console.Output.WriteLine();
            console.Output.WriteLine("or, for the first key, in the environment:");
            console.Output.WriteLine();
            console.Output.WriteLine(EnvironmentOf(key));
            return 0;
        }
        catch (ArgumentException e)
        {
            console.Error.WriteLine(e.Message);
            return 1;
        }
    }

    private static string FragmentOf(BigPileKey key)
    {
        var fragment = new JsonObject
        {
            ["Name"] = key.Name,
            ["Hash"] = key.Hash,
            ["Scopes"] = ArrayOf(WordsOf(key.Scopes)),
            ["Tables"] = ArrayOf([.. key.Tables]),
        };
        if (key.RequestsPerSecond is { } rate)
            fragment["RequestsPerSecond"] = rate;
        return fragment.ToJsonString(Indented);
    }

    private static string EnvironmentOf(BigPileKey key)
    {
        string text = $"Security__Keys__0__Name={key.Name}\nSecurity__Keys__0__Hash={key.Hash}\n"
            + $"Security__Keys__0__Scopes={string.Join(',', WordsOf(key.Scopes))}\n"
            + $"Security__Keys__0__Tables={string.Join(',', key.Tables)}";
        return key.RequestsPerSecond is { } rate
            ? $"{text}\nSecurity__Keys__0__RequestsPerSecond={rate.ToString(CultureInfo.InvariantCulture)}"
            : text;
    }

    private static string[] WordsOf(KeyScopes scopes) => scopes.ToString().ToLowerInvariant().Split(", ");

    private static JsonArray ArrayOf(string[] words) => [.. words.Select(static word => JsonValue.Create(word))];
}
