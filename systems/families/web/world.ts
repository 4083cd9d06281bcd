import type { SystemWorld } from '@posthorn/dashboard/testing'

export const world: SystemWorld = {
  views: [
    ['families', '/families', 'Addams'],
    ['family', '/families/:family', 'gomez@example.com'],
    ['mailbox', '/families/mailbox', 'Mailbox'],
  ],
  async fill({ dashboard }) {
    const ask = async (query: string) => {
      const answer = (await dashboard.call('/graphql', { body: { query } })) as {
        data: { createFamily?: { family: { id: string } } }
      }
      return answer.data
    }
    const { createFamily } = await ask(
      'mutation { createFamily(input: { name: "Addams" }) { family { id } } }',
    )
    const family = createFamily?.family.id ?? ''
    await ask(`mutation { inviteFamilyMemberByEmail(input: { familyId: "${family}",
      email: "gomez@example.com", role: MEMBER }) { errors { code } } }`)
    return { family }
  },
}
