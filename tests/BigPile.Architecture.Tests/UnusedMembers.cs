using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Mono.Cecil;
using Mono.Cecil.Rocks;

namespace BigPile.Architecture.Tests;

/// <summary>
/// Finds members that nobody outside can see and nobody inside uses. A use is any instruction of another member that names it, or its name
/// as a text, by which reflection finds it. Who uses it in a test alone must say so in its documentation: it has the word "tests".
/// </summary>
internal sealed class UnusedMembers
{
    private readonly HashSet<string> _used = new(StringComparer.Ordinal);
    private readonly HashSet<string> _texts = new(StringComparer.Ordinal);

    /// <summary>Notes what the methods of a library or program use.</summary>
    internal void CollectUsesOf(AssemblyDefinition assembly)
    {
        foreach ((MethodDefinition user, object operand) in Built.OperandsIn(assembly))
            Collect(user.FullName, operand);
    }

    /// <summary>Those of a library that nobody uses, by their names in its documentation.</summary>
    internal IEnumerable<string> In(AssemblyDefinition library, string documentation)
    {
        HashSet<string> hooks = HooksIn(documentation);
        return
            from type in library.MainModule.GetAllTypes()
            where !IsMade(type)
            from member in MembersOf(type)
            where !Built.IsSeen(type, member.IsPublic || member.IsFamily) && !hooks.Contains(member.Id)
            where !member.Names.Any(_used.Contains) && !_texts.Contains(member.Name)
            select $"{type.FullName}.{member.Name}";
    }

    private void Collect(string user, object operand)
    {
        if (operand is string text)
            _texts.Add(text);
        if (Built.OwnMember(operand)?.FullName is { } used && used != user)
            _used.Add(used);
    }

    private static IEnumerable<Member> MembersOf(TypeDefinition type) =>
    [
        .. from property in type.Properties
           let accessors = new[] { property.GetMethod, property.SetMethod }.OfType<MethodDefinition>().ToArray()
           where !accessors.Any(IsCalledByContract) && !IsMade(property)
           select new Member(property.Name, [.. accessors.Select(static accessor => accessor.FullName)],
               accessors.Any(static accessor => accessor.IsPublic), accessors.Any(IsFamily), DocCommentId.GetDocCommentId(property)),
        .. from method in type.Methods
           where !method.IsSpecialName && !method.IsConstructor && !IsCalledByContract(method) && !IsMade(method)
           select new Member(method.Name, [method.FullName], method.IsPublic, IsFamily(method), DocCommentId.GetDocCommentId(method)),
        .. from field in type.Fields
           where !field.HasConstant && !field.IsSpecialName && !IsMade(field) && !IsForItsSize(field)
           select new Member(field.Name, [field.FullName], field.IsPublic, field.IsFamily, DocCommentId.GetDocCommentId(field)),
    ];

    // The runtime, the framework or the caller of an interface calls it without its name.
    private static bool IsCalledByContract(MethodDefinition method) =>
        method.IsVirtual || method.Overrides.Count != 0 || method.IsPInvokeImpl || method.Name == "<Main>$" || method.Name == "Main"
        || method.DeclaringType.Interfaces.Any(contract => Declares(contract.InterfaceType.Resolve(), method))
        || (method.IsPublic && method.Name is "InvokeAsync" or "Invoke" && !method.IsStatic); // a middleware

    private static bool Declares(TypeDefinition? contract, MethodDefinition method) =>
        contract?.Methods.Any(declared => declared.Name == method.Name && declared.Parameters.Count == method.Parameters.Count) == true;

    private static bool IsFamily(MethodDefinition method) => method.IsFamily || method.IsFamilyOrAssembly;

    // By the compiler or a generator.
    private static bool IsMade(ICustomAttributeProvider member) =>
        member is MemberReference { Name: var name } && (name.Contains('<', StringComparison.Ordinal) || name == "EqualityContract")
        || member.CustomAttributes.Any(
            static attribute => attribute.AttributeType.Name is "CompilerGeneratedAttribute" or "GeneratedCodeAttribute")
        || (member is TypeDefinition type && (type.Namespace.StartsWith("System", StringComparison.Ordinal)
            || (type.DeclaringType is { } outer && IsMade(outer))));

    // It keeps others off its cache line, the runtime repeats it, or it is part of a layout that is stored.
    private static bool IsForItsSize(FieldDefinition field) =>
        field.FieldType.Name == "CacheLinePair" || field.DeclaringType.HasLayoutInfo
        || field.DeclaringType.CustomAttributes.Any(static attribute => attribute.AttributeType.Name == "InlineArrayAttribute");

    private static HashSet<string> HooksIn(string documentation) =>
    [
        .. from member in XDocument.Load(documentation).Descendants("member")
           where Regex.IsMatch(member.Value, @"\btests\b")
           select (string)member.Attribute("name")!,
    ];

    private sealed record Member(string Name, string[] Names, bool IsPublic, bool IsFamily, string Id);
}
