using System;
using System.Collections.Generic;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;
using Xunit.Abstractions;

namespace BigPile.Architecture.Tests;

/// <summary>Who writes the state of a table: each mutable field has one type that does.</summary>
public sealed class FieldOwnerTests(ITestOutputHelper output)
{
    private const string BackingField = "k__BackingField"; // of an automatic property

    [Fact]
    public void Each_mutable_field_of_the_tables_is_written_by_one_type()
    {
        using var built = new Built();
        AssemblyDefinition tables = built.Read("BigPile.Caching");
        Dictionary<string, SortedSet<string>> writers = WritersIn(tables);
        foreach ((string field, SortedSet<string> types) in writers.OrderBy(static pair => pair.Key, StringComparer.Ordinal))
            output.WriteLine($"{field}: {string.Join(", ", types)}");
        Assert.True(writers.Count > 100, $"Only {writers.Count} mutable fields were found.");
        KnownExceptions.Compare("field with several writers", from pair in writers
            where pair.Value.Count > 1
            select $"{pair.Key}: {string.Join(", ", pair.Value)}");
    }

    private static Dictionary<string, SortedSet<string>> WritersIn(AssemblyDefinition tables)
    {
        var writers = new Dictionary<string, SortedSet<string>>(StringComparer.Ordinal);
        foreach (MethodDefinition method in tables.MainModule.GetAllTypes().SelectMany(static type => type.Methods))
        {
            foreach (Instruction instruction in method.HasBody ? method.Body.Instructions : [])
            {
                if (Written(instruction) is not { } field || field.Module != tables.MainModule || IsMade(field.DeclaringType.Name))
                    continue;
                string name = $"{NameOf(field.DeclaringType)}.{PropertyOrField(field.Name)}";
                if (!writers.TryGetValue(name, out SortedSet<string>? types))
                    writers[name] = types = new SortedSet<string>(StringComparer.Ordinal);
                _ = types.Add(NameOf(method.DeclaringType));
            }
        }
        return writers;
    }

    // The field that an instruction writes, or gives the address of to be written.
    private static FieldDefinition? Written(Instruction instruction)
    {
        FieldDefinition? field = instruction.Operand switch
        {
            FieldReference named => named.Resolve(),
            MethodReference { Name: ['s', 'e', 't', '_', ..] } setter => BehindSetter(setter.Resolve()),
            _ => null,
        };
        if (field == null || field.IsStatic || field.IsInitOnly || IsMade(PropertyOrField(field.Name)))
            return null;
        bool isWrite = instruction.OpCode.Code is Code.Stfld or Code.Call or Code.Callvirt
            // Of a struct, the address is also taken to read.
            || (instruction.OpCode.Code == Code.Ldflda && !field.DeclaringType.IsValueType);
        return isWrite ? field : null;
    }

    // The property's own field; none for a setter with code of its own, whose writes are found in it.
    private static FieldDefinition? BehindSetter(MethodDefinition? setter) =>
        setter == null || setter.ReturnType is RequiredModifierType
            ? null
            : setter.DeclaringType.Fields.FirstOrDefault(field => field.Name == $"<{setter.Name[4..]}>{BackingField}");

    private static string PropertyOrField(string field) =>
        field.EndsWith(BackingField, StringComparison.Ordinal) ? field[1..^(BackingField.Length + 1)] : field;

    // A captured parameter, or a closure's or iterator's variable.
    private static bool IsMade(string name) => name.Contains('<', StringComparison.Ordinal);

    // A closure, an iterator and a nested type write for the type around them.
    private static string NameOf(TypeDefinition type)
    {
        while (type.DeclaringType != null)
            type = type.DeclaringType;
        return type.FullName["BigPile.Caching.".Length..];
    }
}
